#!/bin/sh
# What the Lambda Web Adapter starts: exec, so that uvicorn itself gets SIGTERM; boto3 stands in LAMBDA_RUNTIME_DIR.
PYTHONPATH="${PYTHONPATH:+$PYTHONPATH:}/opt/python${LAMBDA_RUNTIME_DIR:+:$LAMBDA_RUNTIME_DIR}" \
exec python -m uvicorn --factory functions.gateway.app:from_parts --port "${PORT:-8000}" \
    --no-access-log --no-server-header --timeout-graceful-shutdown 1
