"""The gateway: the door a person and their chat clients come through."""
