"""How people say that they are in danger, in lower case.

The patterns look for somebody it happens to, now: the first person, or somebody close. Idioms ("financial
suicide", "a killing in the market") and questions of general interest ("how does foreclosure work") are for
the model. ``tests/unit/safety_help.txt`` and ``safety_left_alone.txt`` hold them to it.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final


class Concern(StrEnum):
    """What a message is about, in the order in which help matters."""

    SELF_HARM = "self_harm"
    FRAUD = "fraud"
    HOME = "home"


def _patterns(*expressions: str) -> Sequence[re.Pattern[str]]:
    """Each stands for whole words, and ``...`` for up to sixty characters of the same sentence."""
    return tuple(re.compile(rf"\b(?:{text})".replace("...", r"[^.?!]{0,60}\b")) for text in expressions)


_SELF = "(?:my|him|her|them)sel(?:f|ves)"
_CLOSE = (
    "(?:husband|wife|partner|spouse|boyfriend|girlfriend|son|daughter|child|kid|mother|mom|mum|father|dad"
    r"|grand(?:mother|ma|father|pa|parents)|brother|sister|friend|roommate|neighbou?r|aunt|uncle|parents)"
)
_I_AM = "(?:i'm|i am|i was|i've been|i'll be|i will be|we're|we are|we were|we've been|we'll be|we will be)"
_CANNOT = "(?:can't|cannot|can not|cant|couldn't|unable to|not able to)"
_DO_NOT = "(?:don't|do not|dont)"
_NOT_AWAY = "(?=$|[.,!?;:]| (?:and|because|but|since|with (?:this|these|all)))"
"""Nothing follows that turns the words to something else: "to live anymore" but not "to live in Texas"."""

_SELF_HARM: Final = _patterns(
    rf"(?:kill|hang|drown|harm|hurt)(?:ing|ed)? {_SELF}\b(?! (?:financially|with|by))",
    r"shoot(?:ing)? (?:myself|himself|herself)\b(?! in the f)",
    rf"(?:cut(?:ting)?) myself(?: again)?{_NOT_AWAY}",
    r"(?:commit|attempt|contemplat|consider|die by|died by|th(?:inking|inks?|ought) (?:of|about)"
    r"|thoughts? of)(?:ing|ed|ting|ted)? suicide\b(?! (?:clause|exclusion|squad))",
    rf"(?:{_I_AM}|i feel|i've felt|i get|{_CLOSE} (?:is|was|feels|seems))(?: \w+)? suicidal\b",
    r"suicidal (?:thoughts?|feelings?|ideas?)\b|suicide (?:note|hotline|helpline|prevention)\b|self[- ]harm",
    r"(?:insurance|polic(?:y|ies))\b...(?:pay|cover)(?:s|ed)?\b...suicide\b(?! (?:clause|exclusion))",
    r"suicide (?:is )?(?:covered|paid)\b|(?:cover|pay|pays|covers) (?:out )?(?:for "
    r"|in case of )?suicide\b(?! (?:clause|excl))",
    r"(?:take|taking|end|ending) my (?:own )?life\b(?! (?:insurance|assurance|annuity|cover|policy|savings?"
    r"|in|into|to|back|seriously|as|easier))",
    r"end(?:ing)? it all\b|(?:want|like|wish i could) (?:to )?disappear for(?:ever| good)\b|(?:want to"
    r"|rather) be dead\b",
    r"no will to live\b|tired of (?:living|being alive)\b(?! (?:in|with|on|from|near|at|paycheck|like a|here"
    r"|there))",
    rf"(?:want(?:ed)?|going|ready|like|hope) to die{_NOT_AWAY}",
    r"wish(?:ed)? (?:that )?i (?:was|were|had been|had never been|'d never been) (?:dead|never born|born)\b",
    rf"{_DO_NOT} (?:want to|wanna) (?:live|be alive|wake up|exist|be here)(?: any ?more| any longer)?"
    rf"(?: like this)?{_NOT_AWAY}",
    rf"(?:no|any|a) reason (?:left )?to (?:live|go on)(?: any ?more)?{_NOT_AWAY}|reason to (?:live after"
    rf"|(?:keep|go on) living)\b",
    r"no (?:point|sense|use) (?:in )?(?:living|going on|being alive)\b(?! (?:in|near|at|with|together|here"
    r"|there)\b)",
    r"(?:nothing|not) (?:left )?(?:worth living|to live) for\b",
    r"life (?:is not|isn't|is no longer) worth living\b",
    r"(?:i|everyone|everybody|family|kids|children|they|wife|husband)(?:'m|'d be| am| would be| are| is)?"
    r"(?: all)? better off (?:dead|without me)\b|worth more dead\b",
    rf"{_CANNOT} (?:go on (?:any ?more|any longer|living)|keep living|live any ?more)\b",
    r"overdos(?:e|ing) on\b...(?:pills|tablets|medic\w+|painkillers|drugs)\b",
    r"jump(?:ing)? (?:off|from) (?:a|the|my) (?:bridge|building|roof|balcony)\b",
)

_STRANGER = "(?:someone|somebody|(?:a |the )?(?:hackers?|thief|thieves|scammers?|fraudsters?|criminals?))"
_THIEF = (
    "(?:someone|somebody|they|he|she|(?:a |the )?(?:hackers?|thief|thieves|scammers?|fraudsters?|criminals?))"
)
_DOES = "(?: has| have| had| just| is| are| was| keeps?)*"
_CHEATED = "(?:scammed|defrauded|phished|conned|swindled)"
_MY_ACCOUNT = (
    r"(?:my|our) (?:\w+ ){0,3}(?:accounts?|cards?|phone|email|wallet|savings)(?: (?:number|details))?"
)
_AUTHORITY = (
    "(?:irs|hmrc|tax office|police|customs|fbi|cbi|court|bank|microsoft|amazon|social security|immigration)"
)
_CALLED = r"(?:call(?:ed|s|ing)|phon(?:ed|es|ing)|on the phone|on the line|texted|whatsapp\w*|video call)"
_CODE = (
    "(?:otp|one[- ]time (?:code|password|passcode)|(?:verification|security) code|pin|password|cvv"
    "|(?:card|account) number|(?:card|bank) details|ssn|social security number)"
)
_GIFT_CARDS = "(?:gift|itunes|steam|google play|apple) (?:gift )?cards?"
_MONEY = "(?:send|wire|lend|transfer|invest|crypto|bitcoin|gift cards?|needs? money|for money)"

_FRAUD: Final = _patterns(
    rf"i(?:'m|'ve| am| was| think| believe| fear| have| just| got| may| might| been| be| being| getting"
    rf"| i){{0,6}}"
    rf" {_CHEATED}\b(?! (?:by the market|in the past))",
    rf"(?:my|our) (?:\w+ )?{_CLOSE} (?:is|was|got|has|just|may|might)(?: \w+)? (?:\w+ )?{_CHEATED}\b",
    rf"{_THIEF}{_DOES} (?:hack|broke|broken|empt|drain)\w* (?:in)?(?:to )?{_MY_ACCOUNT}",
    rf"{_STRANGER}{_DOES} (?:took over|taken over|charging|charged|used|using) {_MY_ACCOUNT}",
    rf"{_STRANGER}{_DOES} (?:withdr|tak|took|transferr|steal|stole)\w* (?:\w+ ){{0,3}}(?:from"
    rf"|out of) {_MY_ACCOUNT}",
    rf"{_MY_ACCOUNT} (?:has been|have been|was|were|got|is being)(?: just)?"
    r" (?:hacked|drained|emptied|compromised|taken over|cloned|skimmed|stolen)\b",
    rf"{_MY_ACCOUNT} (?:is|are) stolen\b|my identity (?:was|has been|got|is being) stolen\b"
    rf"|report a stolen card\b",
    rf"{_THIEF}{_DOES} (?:got|gotten|getting) into {_MY_ACCOUNT}|(?:stole|stolen|copied|cloned) my (?:\w+ )?"
    r"(?:identity|cards?|card (?:number|details)|bank details)\b",
    rf"{_THIEF}{_DOES} (?:open|taken|took|appl)\w*\b...in my name\b(?! when i was)",
    r"(?:clicked|opened|tapped) (?:on )?an? (?:phishing|suspicious|fake|scam) (?:link|site|email"
    r"|attachment)\b",
    r"(?:gave|given|let|allowed)\b...(?:remote access|(?:access to|into) my (?:computer|phone|laptop))\b"
    r"|impersonating me\b",
    r"(?:charge|payment|transaction|withdrawal|purchase)s? (?:on|from"
    r"|in) my (?:\w+ ){1,3}(?:that )?i (?:did not|didn't|never)"
    r" (?:ma[kd]e|authori[sz]ed?|do|did)\b",
    r"(?:fell|fallen|falling) for an? (?:\w+ ){0,2}(?:scam|phishing|fraud)\b|using my (?:ssn|social security"
    r"|identity|name to)\b",
    rf"(?:call|text|message|email)\b...{_CODE}\b...gave it to (?:them|him|her)\b",
    r"(?:fraud|fraudulent|unauthori[sz]ed|suspicious)(?: (?:\w+ )?(?:charge|transaction|withdrawal|transfer"
    r"|payment|purchase|activit)\w*)? (?:on|from|in|with) (?:\w+ of )?my (?!resume|cv)",
    rf"{_I_AM} (?:a |the )?victims? of (?:\w+ ){{0,3}}(?:fraud|scam|identity theft|phishing)"
    r"(?![^.?!]{0,20} (?:years? ago|in (?:19|20)\d\d))",
    r"(?:sen[td]|wir|transferr|paid|pay|gave|giv|lost)(?:ed|ing)?\b...to (?:an? |the )?(?:\w+ ){0,2}(?:scam"
    r"|scammers?|fraud"
    r"|fraudsters?|con artist)\b|(?:sent|wired|transferred|paid|gave)\b...(?:to )?an? fake \w+",
    rf"(?:sent|gave|bought)\b...{_GIFT_CARDS}\b...(?:who said|told me|on the phone|from the (?:tax|irs"
    rf"|police|bank))",
    r"(?:person|man|woman|guy|caller|one)\b...(?:is|was|are) (?:probably |definitely |maybe )?a scammer\b",
    r"(?:caller|someone|they)\b...(?:says?|said|told|claims?)\b...(?:be arrested|arrest me|warrant for my)\b",
    rf"i(?: just| have| already|'ve)* (?:gave|given|shared|told|read|sent|entered|typed)\b...{_CODE}\b"
    r"[^?!]{0,80}\b(?:caller|phone|call|link|text|sms|scam\w*|fake|stranger|someone|somebody)\b",
    rf"(?:caller|someone|somebody|man|woman|guy|agent|officer|he|she|they)\b...(?:ask|tell|told|want|demand"
    rf"|insist|say|said)\w*\b...(?:buy|pay|send|get|in|with)\b...{_GIFT_CARDS}(?! for (?:her|his"
    rf"|their) birthday)",
    rf"(?:pay|send|buy)\w*\b...{_GIFT_CARDS}\b[^!]{{0,60}}\b(?:called|bail|warrant|arrest\w*|unlock"
    rf"|met online)\b",
    rf"{_AUTHORITY}\b...{_CALLED}\b[^?!]{{0,140}}\b(?:arrest\w*|warrant|gift cards?|bitcoin|safe account"
    rf"|remote"
    r"|anydesk|teamviewer|otp|one[- ]time|verification code|right now|transfer (?:my|all)|move (?:my|all))\b",
    rf"{_AUTHORITY}\b...(?:told|tells|asked|asks|wants?|telling|asking|says) (?:me |i )?(?:to|must|should"
    rf"|have to)"
    r" (?:move|transfer|withdraw) (?:all |my |the |our )*(?:money|savings|funds|cash)\b",
    r"(?:police|customs|fbi|cbi|officers?|agents?)\b...(?:want|ask|tell|told)\w* me to (?:transfer|send|pay"
    r"|withdraw)\b",
    r"(?:told|asked|asking|telling|wants|says)\b...(?:move|transfer|put|send)\w*\b...(?:safe|secure"
    r"|holding) account\b",
    rf"{_AUTHORITY}\b...(?:wants?|needs?|asks? for|asking for|asked for) (?:\w+ )?access\b",
    r"under digital arrest\b|digital arrest\b...(?:me|us|my)\b",
    r"(?:made|asked|told|wants?|wanted|telling|asking) (?:me|us) (?:to )?(?:install|download)\b"
    r"...(?:anydesk|teamviewer|remote)",
    r"(?:platform|site|website|exchange|broker|app|crypto|profits?|winnings)\b...(?:withdraw\b...(?:until"
    r"|unless)"
    r"|(?:pay|deposit)\b...before (?:i can )?withdraw\w*)\b|withdraw my (?:crypto|profits?"
    r"|winnings)\b...(?:until|unless)\b",
    r"(?:met|talking to|chatting with|dating)\b...(?:online|tinder|telegram|whatsapp|facebook|instagram"
    rf"|dating (?:app|site))\b(?: and)? (?:\w+ ){{0,3}}(?:asks?|asked|asking|wants?|wanted|needs?"
    rf"|tells?)\b...{_MONEY}\b",
)

_HOME_WORD = "(?:home|house|flat|apartment|condo)"
_LOST = r"(?:evicted|foreclosed|kicked out|thrown out|made homeless)"
_NOTICE = "(?:eviction|foreclosure|repossession|possession order|notice to quit|notice to vacate)"
_OF_THE_PAST = (
    r"(?! (?:sale|auction|listing|deal|propert|home|house|on my (?:record|credit|report)|record"
    r"|(?:\w+ )?years? ago|in (?:19|20)\d\d))"
)

_LOSING_HOME: Final = _patterns(
    rf"(?:{_I_AM}|going to be|about to be|facing being|getting|get|be) (?:\w+ )?{_LOST}\b"
    r"(?! (?:tenants?|homes?|houses?|propert))(?![^.?!]{0,30}\b(?:insurance|plan|club|course|school"
    r"|years? ago)\b)",
    rf"(?:evict(?:ing)?|kick(?:ing)?|throw(?:ing)?) (?:me|us|my (?:family|{_CLOSE}))\b(?! (?:off|in)\b)",
    rf"(?:got|get|received|been given|given|served|sent|gave|there's|there is|facing|face|fighting)(?: me"
    rf"| us)?"
    rf"(?: with)?(?: an?| the| my| our)? (?:\w+ ){{0,2}}{_NOTICE}\b{_OF_THE_PAST}",
    rf"(?:stop|delay|fight)(?:ping|ing)? (?:(?:an?|the|my|our) )?(?:{_NOTICE}|being evicted)\b{_OF_THE_PAST}",
    rf"(?:avoid|prevent)(?:ing)? (?:(?:my|our) {_NOTICE}|being evicted|(?:an )?eviction|{_NOTICE} (?:of"
    rf"|on) (?:my|our))\b",
    r"eviction (?:court|hearing) (?:is|on|tomorrow|today|next)\b|landlord\b...(?:filed|filing|started"
    r"|starting)\b...eviction\b",
    rf"(?:have to|must) (?:leave|vacate|move out of) (?:my|our) {_HOME_WORD}\b...(?:evict|bank|landlord"
    rf"|pay (?:the )?rent)\b",
    r"(?:landlord|owner|court|sheriff)\b...(?:days?|hours|week) to (?:leave|move out|vacate|get out)\b",
    r"(?:behind on|default on|defaulted on)\b...(?:rent|mortgage|payments)\b...(?:auction|foreclos|evict"
    r"|lose (?:my|our))",
    rf"(?:bank|lender|landlord|mortgage company|council|court|sheriff|bailiffs?|they)\b...(?:foreclos"
    rf"|repossess|tak"
    rf"|seiz|auction)\w*(?: on)? (?:my|our) {_HOME_WORD}\b",
    r"(?:landlord|sheriff|bank|council|they|court)\b...evict\w* (?:me|us)\b",
    rf"(?:mortgage)\b...(?:in default|behind)\b...{_HOME_WORD} (?:will|is going to) be\b",
    rf"(?:lose|losing) (?:my|our) {_HOME_WORD}\b(?! (?:value|equity|insurance|office|key|warranty|title|deed"
    rf"|deposit))",
    rf"(?:i|we) (?:might|may|could|will|am going to|are going to) lose the {_HOME_WORD}\b(?! (?:value|key"
    rf"|in (?:a|the|my)))",
    rf"(?:my|our) {_HOME_WORD} (?:is|will be|is being|is going to be|is about to be|goes|has been)(?: in"
    rf"| into)?"
    r" (?:foreclosed|repossessed|auctioned|sold at auction|seized"
    r"|foreclosure)\b(?![^.?!]{0,30}\byears? ago\b)",
    rf"foreclos(?:e|ing|ure) (?:on|of) (?:my|our) (?:\w+ )?{_HOME_WORD}\b|sheriff'?s? sale of (?:my|our)\b",
    rf"(?:{_I_AM}|become|end up|going to be|about to be) (?:\w+ )?(?:homeless"
    rf"|on the streets?)\b(?! (?:shelter|char))",
    rf"{_CANNOT} (?:pay|afford|make) (?:my |our |the )?(?:rent|mortgage)\b[^?!]{{0,120}}\b(?:evict\w*"
    rf"|homeless"
    r"|foreclose\w*|on the street|lose (?:my|our))\b",
    r"(?:nowhere|no place|not have (?:anywhere|a place)) (?:else )?to (?:live|stay|sleep)"
    r"(?: (?:from|after))? (?:tonight|tomorrow|next|this)\b",
)

PATTERNS: Final[Mapping[Concern, Sequence[re.Pattern[str]]]] = {
    Concern.SELF_HARM: _SELF_HARM,
    Concern.FRAUD: _FRAUD,
    Concern.HOME: _LOSING_HOME,
}
