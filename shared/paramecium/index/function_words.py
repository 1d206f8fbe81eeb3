"""Which words of a question carry no meaning of their own, in Chinese and English.

Knows only words, in folded form; what is done with them is said in `words`.
Invariant: every word equals its fold. CONTENT are words that hold a function character and do mean something; they are
read first, so that 目的 is not cut at 的.
"""

from typing import Final

_FUNCTION_ZH: Final = (
    # particles, pronouns, links
    "的 了 吗 呢 吧 啊 呀 嘛 哦 我 你 您 他 她 它 是 在 和 跟 与 也 都 就 还 很 把 被 给 这 那 哪 谁 啥 "
    "我们 你们 他们 她们 它们 咱们 自己 其他 这个 那个 这些 那些 这里 那里 这儿 那儿 这样 那样 这么 那么 这次 那次 "
    "但是 可是 还是 就是 于是 因为 所以 如果 虽然 而且 或者 以及 关于 对于 有关 除了 为了 然后 其实 现在 已经 曾经 "
    "一个 一下 一些 一次 有些 没有 还有 可以 应该 之前 之后 以前 以后 当时 上次 总是 "
    # what a question is asked with
    "什么 叫什么 叫啥 怎么 怎样 怎么样 怎么办 为什么 为何 为啥 干嘛 干什么 什么时候 时候 哪里 哪儿 哪个 哪些 哪天 哪年 "
    "何时 几时 几月 几号 多少 多久 几个 几次 如何 是否 是不是 有没有 能不能 会不会 可不可以 到底 究竟 请问 帮我 "
    # speaking of the talk itself
    "知道 记得 还记得 记不记得 告诉 说过 提过 讲过 聊过 问过 提到 谈到 说到 聊到 说的 来着"
)

_CONTENT: Final = (
    "目的 的确 的士 标的 了解 了不起 了断 明了 酒吧 网吧 贴吧 吧台 自我 吉他 维他 他乡 他人 是非 存在 内在 潜在 在线 "
    "在职 和平 和谐 和好 和解 温和 饱和 缓和 暖和 平和 柔和 共和 和服 和尚 和面 跟踪 跟随 高跟 参与 赠与 给与 "
    "首都 成都 京都 古都 帝都 魔都 都市 都江堰 成就 就业 就职 就诊 就餐 就医 就读 迁就 将就 "
    "还款 归还 偿还 退还 生还 还钱 还书 还债 还原 还清 还贷 把手 把握 把戏 火把 拖把 "
    "被子 棉被 被套 被单 被窝 被褥 被告 给力 供给 补给 自给 刹那 哪咤"
)

_FUNCTION_EN: Final = (
    "a an the and or but if of to in on at by for from with about as than then so too very just also any some no not "
    "is are was were be been being am do does did done have has had having will would can could should shall may might "
    "must i me my mine we us our ours you your yours he him his she her hers it its they them their theirs this that "
    "these those there here what which who whom whose when where why how s t re ve ll d m don isn didn doesn wasn "
    "remember tell told said mention mentioned"
)

FUNCTION_ZH: Final = frozenset(_FUNCTION_ZH.split())
CONTENT: Final = frozenset(_CONTENT.split())
FUNCTION_EN: Final = frozenset(_FUNCTION_EN.split())
