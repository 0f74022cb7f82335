"""What is said to whom a model should not answer: kind, short, and where to turn."""

from collections.abc import Mapping
from typing import Final

from finassist.domain.safety.concerns import Concern

TEXTS: Final[Mapping[Concern, str]] = {
    Concern.SELF_HARM: """\
I am really glad that you told me. What you are carrying sounds very heavy, and you do not have to carry \
it alone. Please talk to somebody now; they listen at any hour, it is free, and nothing you say is too \
much.

- If you or somebody else could be in danger right now, call your emergency number: 112, 911 or 999.
- USA and Canada: call or text 988. UK and Ireland: Samaritans, 116 123. India: Tele-MANAS, 14416. \
Australia: Lifeline, 13 11 14.
- Anywhere else: findahelpline.com lists free lines in your country and language.

If you can, stay near somebody you trust and tell them what you told me. Money troubles, however large, \
can be worked out: debts can be paused, reduced or written off, and people do this every day. That can \
wait until you are safe. I am here for it when you want.""",
    Concern.FRAUD: """\
I am sorry that this is happening. It happens to careful people every day, and it is not your fault. The \
next hour matters most, so please do this first:

1. Stop: hang up, send nothing more, share no code or password, and let nobody into your phone or \
computer. No bank, police force or tax office asks for gift cards, crypto, one-time codes or a "safe \
account".
2. Call your bank on the number on the back of your card, or in the UK 159. Say "I am being defrauded", \
and ask them to freeze the account and recall the payments.
3. Change the passwords of your bank and your email from another device, and remove any remote-access \
app.
4. Report it. USA: reportfraud.ftc.gov, and identitytheft.gov when your identity is used. UK: Report \
Fraud, 0300 123 2040. India: 1930 or cybercrime.gov.in. Australia: 1300 292 371 (ReportCyber). Canada: \
1-888-495-8501. Elsewhere: the police.
5. Keep everything: messages, numbers, receipts, screenshots. Tell somebody you trust.

Anyone who offers to get the money back for a fee is part of the fraud. Once the bank knows, I am glad to \
help you with what comes next.""",
    Concern.HOME: """\
I am sorry; the thought of losing your home is frightening. There is often more time and more choice than \
it seems, and free help exists. It works best the sooner it is called, so please do not wait:

1. Open every letter and note its dates. Do not move out, and do not sign anything, before somebody has \
looked at it. Go to every court date: many people lose their home only because they were not there.
2. Call the lender or landlord today, ask for the hardship team, and ask in writing for a payment plan, a \
pause or a reduced payment.
3. Get free advice now. USA: a HUD-approved counsellor, 1-800-569-4287, or 211 for rent and shelter; \
legal aid at lawhelp.org. UK: Shelter, 0808 800 4444 (england.shelter.org.uk), or Citizens Advice. \
India: legal aid, 15100 (nalsa.gov.in). Australia: National Debt Helpline, 1800 007 007 (ndh.org.au). \
Canada: 211. Elsewhere: the town's housing office or a legal-aid clinic.
4. If you have nowhere to sleep tonight, the same numbers, or your local council, find emergency shelter.

Beware of firms that promise to save a home for a fee paid first, or that ask for the deed. When you have \
the letter and the dates, I can help you go through the numbers and prepare the call.""",
}

TEXTS_AGAIN: Final[Mapping[Concern, str]] = {
    Concern.SELF_HARM: """\
I am still here, and I am glad that you are still writing. I am a program, though, and you deserve a person \
now. Please call or text one, also when it feels hard or pointless; you need not know what to say.

- In danger, or if you have taken something: 112, 911 or 999, now.
- USA and Canada: 988. UK and Ireland: Samaritans, 116 123. India: Tele-MANAS, 14416. Australia: Lifeline, \
13 11 14. Anywhere else: findahelpline.com.

Until somebody answers, go where other people are, or ask somebody to come, and put what could hurt you out \
of reach. Nothing about money has to be solved tonight.""",
}
"""To whom writes on after the first text: what helps with fraud or a home can be read again, this not."""
