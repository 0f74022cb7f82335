"""Messages that ask for help, told by words and by meaning."""

from collections.abc import Mapping, Sequence

import pytest

from finassist.adapters.classifier.distress import LinearDistressClassifier
from finassist.adapters.classifier.meaning import DistressClassifierByMeaning
from finassist.adapters.embeddings.minilm.embedder import MODEL
from finassist.application.ports.knowledge import Vector
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.hybrid import asked_for
from finassist.domain.safety import Concern, Distress, Sign
from remembered_vectors import VECTORS


@pytest.fixture(scope="module")
def words() -> LinearDistressClassifier:
    return LinearDistressClassifier()


@pytest.fixture
def classifier(words: LinearDistressClassifier) -> DistressClassifierByMeaning:
    return DistressClassifierByMeaning(words, VECTORS)


@pytest.mark.parametrize(
    ("message", "concern"),
    [
        ("Someone guarantees 3 % a week, legit?", Concern.SCAM),
        ("cash app flipping", Concern.SCAM),
        ("Is this company a scam?", Concern.SCAM),
        ("2 % per day on telegram", Concern.SCAM),
        ("drowning in payday loans", Concern.DEBT),
        ("I can't pay my credit cards any more and they keep calling", Concern.DEBT),
        ("i have gambling debts and cant stop betting", Concern.GAMBLING),
        ("I lost my job today", Concern.JOB_LOSS),
        ("there is a bailiff at my door", Concern.BAILIFFS),
        ("my wages are being garnished and I can't pay rent", Concern.BAILIFFS),
        ("I got an eviction notice this morning", Concern.HOME),
        ("I just sent 2000 to a scammer", Concern.FRAUD),
        ("i dont want to live anymore", Concern.SELF_HARM),
        ("my husband keeps my salary and gives me nothing", Concern.ABUSE),
        ("he took my bank card so I cannot leave", Concern.ABUSE),
        ("the loan shark says he will break my legs", Concern.ABUSE),
        ("my son takes my pension and I am afraid of him", Concern.ABUSE),
        ("I sold my bike, he paid by cheque and it bounced", Concern.FRAUD),
        ("I sent 4000 to a man I met on a dating site and he disappeared", Concern.FRAUD),
        ("they are repossessing my car because I missed payments", Concern.DEBT),
        ("I guaranteed a loan for my business and it is failing", Concern.DEBT),
        ("the bailiffs are coming and I see no point in carrying on", Concern.SELF_HARM),
        ("I lost 9k betting this month and my wife has no idea. I want to die", Concern.SELF_HARM),
        ("I gambled away the rent money and I dont want to be here anymore", Concern.SELF_HARM),
        ("lost my job and all my savings. every morning I wish I had not woken up", Concern.SELF_HARM),
        ("a woman I met online 3 months ago needs 900 for surgery, her camera never works", Concern.SCAM),
        ("Mein Mann nimmt mir mein Gehalt weg und droht mir", Concern.ABUSE),
        ("mon mari me frappe et garde mon salaire", Concern.ABUSE),
        ("mi marido me pega y controla todo mi dinero", Concern.ABUSE),
        ("meu marido fica com meu salário e me bate", Concern.ABUSE),
        ("pati meri salary le lete hai aur marte hai", Concern.ABUSE),
        ("मेरा पति मेरी तनख्वाह छीन लेता है और मारता है", Concern.ABUSE),
        ("Ich ersticke in Schulden und kann nicht mehr zahlen", Concern.DEBT),
        ("Der Gerichtsvollzieher kommt morgen", Concern.BAILIFFS),
        ("He perdido todo mi sueldo en apuestas, no puedo dejar de apostar", Concern.GAMBLING),
        ("Je viens d'être licencié, que faire ?", Concern.JOB_LOSS),
        ("Um site garante 3 % por semana, é golpe?", Concern.SCAM),
        ("meri naukri chali gayi, emi kaise bharu", Concern.JOB_LOSS),
        ("मैं कर्ज में डूब गया हूं, क्या करूं", Concern.DEBT),
    ],
)
async def test_who_needs_help_gets_the_help_that_fits(
    classifier: DistressClassifierByMeaning, message: str, concern: Concern
) -> None:
    assert await classifier.concern(message) is concern


@pytest.mark.parametrize(
    "message",
    [
        "eviction notice meaning",
        "kill my debt",
        "does life insurance pay for suicide",
        "I inherited 40k from my grandmother, what should I do with it?",
        "I won 10,000, how should I invest it?",
        "what should I do with a windfall",
        "are gambling winnings taxed",
        "what does a bailiff do",
        "how is redundancy pay calculated",
        "debt snowball or avalanche?",
        "Is Vanguard legit?",
        "I got a new job, how much should I save?",
        "got 10k inheritance from my nan",
        "we got the house!!",
        "im 17 and got my first job",
        "what if I lost my job",
        "Wie hoch ist die Pfändungsfreigrenze?",
        "my wife and I keep separate accounts by choice, how do we split the rent?",
        "how much pocket money should I give my 10 year old",
        "my husband handles our finances and I am happy with that",
        "what is financial abuse",
        "I hold power of attorney for my elderly mother, can I pay her bills?",
        "how is alimony calculated",
        "I won 400 at poker night, is it taxed?",
        "I have zero debt and 5k saved, what next?",
        "I quit my job happily to travel, what about my pension?",
        "is there any point in carrying on with this ISA",
        "What is an ETF?",
        "hello",
        "",
    ],
)
async def test_what_only_sounds_alike_gets_its_ordinary_answer(
    classifier: DistressClassifierByMeaning, message: str
) -> None:
    assert await classifier.concern(message) is None


@pytest.mark.parametrize(
    "message", ["how do i stop living beyond my means", "we have to stop living above our means"]
)
async def test_an_idiom_of_money_that_sounds_of_death_is_read_as_it_is_meant(
    classifier: DistressClassifierByMeaning, message: str
) -> None:
    assert await classifier.concern(message) is None
    despair = f"{message}. i do not want to live anymore"
    assert await classifier.concern(despair) is Concern.SELF_HARM


@pytest.mark.parametrize(
    "message",
    [
        "weird sms from the post office, I didn't click on it",
        "A woman claiming to be from Visa called me and I hung up. What now?",
        "opened a mail from fake netflix but never entered my password",
        "I almost paid a fake landlord, no money was sent. Do I report it?",
        "my bank blocked the transfer to the scammer and nothing was taken",
        "the owner is abroad and wants the deposit before I see the flat",
        "a man I never met asks me for 600 for his ticket",
    ],
)
async def test_who_gave_nothing_is_not_told_what_victims_are_told(
    classifier: DistressClassifierByMeaning, message: str
) -> None:
    assert await classifier.concern(message) in (None, Concern.SCAM)


@pytest.mark.parametrize(
    "message",
    [
        "they emptied my account, I never gave anyone my pin",
        "there is a loan in my name that I never took out",
        "they have a video of me and want money, I haven't paid them",
        "I didn't click anything but 300 is gone",
        "I typed my card number into a fake toll page, nothing is gone yet",
        "I read the code from the text to the caller",
        "the man from the bank is on the line and wants the code",
        "I already sent 700 for the flat and he wants more",
    ],
)
async def test_who_gave_something_or_has_somebody_on_the_line_is_told_what_to_do_now(
    classifier: DistressClassifierByMeaning, message: str
) -> None:
    assert await classifier.concern(message) is Concern.FRAUD


@pytest.mark.parametrize(
    "message",
    [
        "What is CAT 78 % on my loan?",
        "shall I stop my SIP?",
        "can I send my IBAN to a mate?",
        "my bank sent me a letter that the savings rate goes down",
        "my aunt left me 20,000, what do I do with it?",
        "a recruiter asks what salary I expect",
        "we are divorcing, who gets the savings?",
        "should I surrender my insurance policy?",
        "I was scammed in 2018 and got it all back, how do I start investing again?",
    ],
)
async def test_ordinary_decisions_letters_and_settled_losses_are_neither_a_scam_nor_a_fraud(
    classifier: DistressClassifierByMeaning, message: str
) -> None:
    assert await classifier.concern(message) is None


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("mensualité pour un prêt de 180 000 € sur 20 ans à 3,4 %", "fr"),
        ("wie viel sind 19 % von 2400 euro", "de"),
        ("¿cuánto pago al mes por 120.000 a 25 años al 3 %?", "es"),
        ("quanto rende 1000 por mês a 0,8% em 5 anos", "pt"),
        ("20 लाख पर 9 प्रतिशत ब्याज, 20 साल, किस्त कितनी", "hi"),
    ],
)
async def test_sums_in_other_languages_are_left_to_the_model(
    classifier: DistressClassifierByMeaning, message: str, language: str
) -> None:
    assert await classifier.concern(message, language=language) is None


async def test_in_another_language_the_words_have_to_be_surer(
    classifier: DistressClassifierByMeaning, words: LinearDistressClassifier
) -> None:
    message = "meu contrato acaba em maio, recebo seguro?"
    assert words.concern(message) is not None
    assert await classifier.concern(message, language="pt") is None


async def test_the_signs_of_a_scam_are_named(classifier: DistressClassifierByMeaning) -> None:
    assert Sign.RATE in await classifier.signs("Someone guarantees 3 % a week, legit?")
    assert Sign.DOUBLING in await classifier.signs("cash app flipping")
    found = await classifier.signs("a guy on telegram promises 2% a day")
    assert {Sign.RATE, Sign.STRANGER} <= set(found)
    assert await classifier.signs("someone on telegram can double my 500 in 3 days, he showed me payouts")
    assert Sign.FEE in await classifier.signs("they want a fee upfront before they release the loan")


class Counting:
    """An embedder that notes what it is asked, and fails."""

    def __init__(self, model: str = MODEL) -> None:
        self.model = model
        self.asked: list[str] = []

    def understands(self, language: str) -> bool:
        return language == "en"

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        raise AssertionError

    async def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        raise EmbeddingError("It is down.", kind="test", retryable=True)

    async def embed_search(self, text: str) -> Vector:
        return await self.embed_query(text)

    async def close(self) -> None:
        return None


async def test_when_the_encoder_fails_the_words_decide(words: LinearDistressClassifier) -> None:
    embedder = Counting()
    classifier = DistressClassifierByMeaning(words, embedder)
    assert await classifier.concern("I want to kill myself") is Concern.SELF_HARM
    assert embedder.asked == ["I want to kill myself"]


async def test_the_vector_is_asked_for_in_the_form_in_which_the_search_asks_for_it(
    words: LinearDistressClassifier,
) -> None:
    embedder = Counting()
    await DistressClassifierByMeaning(words, embedder).concern("There is a bailiff at my door, what now?")
    assert embedder.asked[0] == asked_for("There is a bailiff at my door, what now?")


async def test_what_the_words_rule_out_is_not_embedded(words: LinearDistressClassifier) -> None:
    embedder = Counting()
    classifier = DistressClassifierByMeaning(words, embedder)
    assert await classifier.concern("What is the difference between an ETF and an index fund?") is None
    assert embedder.asked == []


async def test_neither_long_messages_nor_other_languages_are_embedded(
    words: LinearDistressClassifier,
) -> None:
    embedder = Counting()
    classifier = DistressClassifierByMeaning(words, embedder)
    assert await classifier.concern("Ich will nicht mehr leben", language="de") is Concern.SELF_HARM
    assert await classifier.concern("I do not want to live anymore. " * 20) is Concern.SELF_HARM
    assert embedder.asked == []


async def test_vectors_of_another_model_are_not_asked_for(words: LinearDistressClassifier) -> None:
    embedder = Counting("another-model")
    assert await DistressClassifierByMeaning(words, embedder).concern("I was fired today") is Concern.JOB_LOSS
    assert embedder.asked == []


async def test_help_that_was_given_a_moment_ago_is_not_repeated_for_the_figures_that_follow(
    classifier: DistressClassifierByMeaning,
) -> None:
    before = ["drowning in payday loans"]
    assert await classifier.concern("card A 5000 at 20 %, card B 3000 at 25 %, which first?", before) is None
    assert await classifier.concern("and now the bailiffs are at my door", before) is Concern.BAILIFFS


async def test_users_who_were_in_an_emergency_a_moment_ago_are_believed_sooner(
    classifier: DistressClassifierByMeaning,
) -> None:
    assert await classifier.concern("What is an ETF?", ["I want to die"]) is None
    message = "I can't, it is too late for me"
    assert await classifier.concern(message, ["I want to die"]) is Concern.SELF_HARM


async def test_a_short_message_in_a_conversation_about_money_has_to_be_clearer(
    classifier: DistressClassifierByMeaning,
) -> None:
    budget = ["how do i make a budget"]
    assert await classifier.concern("i already have a budget, i just don't stick to it", budget) is None
    assert await classifier.concern("the house is 400k", ["how do mortgages work"]) is None
    assert await classifier.concern("i want to kill myself", budget) is Concern.SELF_HARM


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("what is inflation", "im doomed then"),
        ("how do i start investing with 100", "i am scared to lose it"),
        ("where do i put 5000 for two years", "i dont want to lose any"),
        ("how does a credit freeze work", "nothing happened, just to be safe"),
        ("can i get a refund from my gym", "they threatened a collection agency"),
        ("best way to pay off my card", "cant i just pay the minimum"),
        ("how much should be in an emergency fund", "how do i stop myself dipping into it"),
        ("should i hire a financial adviser", "is it better than doing it myself"),
        ("how does an annuity work", "so it is all for nothing if i outlive it"),
        ("how do i write a will", "who gets it when i am gone"),
    ],
)
async def test_a_few_words_in_the_middle_of_a_conversation_are_about_its_subject(
    classifier: DistressClassifierByMeaning, before: str, message: str
) -> None:
    assert await classifier.concern(message, [before]) is None


@pytest.mark.parametrize(
    ("message", "concern"),
    [
        ("it doesnt matter, i want to end it all", Concern.SELF_HARM),
        ("who cares, ill be gone by friday", Concern.SELF_HARM),
        ("which pays if i do it myself next year", Concern.SELF_HARM),
        ("somebody called me an hour ago and i gave him the code", Concern.FRAUD),
        ("some guy on instagram promises 30% a month", Concern.SCAM),
        ("forget it, i got fired today", Concern.JOB_LOSS),
        ("its betting apps, i cannot stop", Concern.GAMBLING),
    ],
)
async def test_who_plainly_asks_for_help_in_the_middle_of_a_conversation_gets_it(
    classifier: DistressClassifierByMeaning, message: str, concern: Concern
) -> None:
    assert await classifier.concern(message, ["whats a good budget"]) is concern


async def test_two_words_of_a_message_about_debts_do_not_make_it_one_about_self_harm(
    classifier: DistressClassifierByMeaning,
) -> None:
    message = "5 credit cards, 23k, the minimums are more than i have left after rent. im drowning"
    assert await classifier.concern(message) is Concern.DEBT


@pytest.mark.parametrize("message", ["just got paid", "my paycheck is gone already", "payday!!"])
async def test_a_few_first_words_about_pay_are_about_no_lost_job(
    classifier: DistressClassifierByMeaning, message: str
) -> None:
    assert await classifier.concern(message) is None


async def test_goodbye_after_a_few_words_that_sound_of_more_is_goodbye(
    classifier: DistressClassifierByMeaning,
) -> None:
    assert await classifier.concern("bye", ["should i rent or buy", "i'll think about it"]) is None


class DebtBesideSelfHarm(LinearDistressClassifier):
    """Words that tell of debt, and a little of self-harm."""

    def margins(self, message: str) -> Mapping[Concern, float]:
        return {**dict.fromkeys(Concern, -9.0), Concern.DEBT: 1.5, Concern.SELF_HARM: 0.4}


async def test_how_sure_it_is_is_that_of_the_likeliest_level() -> None:
    classifier = DistressClassifierByMeaning(DebtBesideSelfHarm(), None)
    message = "i owe a little to several people"
    assert await classifier.distress(message) == Distress(Concern.DEBT, 1.5)


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (
            "",
            "My wife passed away in the spring and an unknown store card wants 740 now. Is it mine to pay?",
        ),
        ("", "how do I ask my aunt for 200 till payday without it being weird"),
        ("", "my wages are a day late, is that because of the bank holiday"),
        ("", "I mistyped one digit of the account number, does the money come back by itself?"),
        (
            "",
            "notice of default for one instalment, paid since. how long is it on record in South Africa?",
        ),
        ("", "iss baar card ka sirf minimum due bharu to kitna interest lagega"),
        ("", "so done with my landlord, he sits on my deposit since june. what do i write to him"),
        ("", "I got cheated by a fake shop years ago and would like to start investing now, where?"),
        ("", "my father has dementia and takes out cash every day, how can we limit it"),
        (
            "what is probate",
            "it drags on for a year now and I'm so tired of it. can we go ahead without the lawyer",
        ),
        ("what is an annuity", "and if I go a month later, is all of it lost to my kids?"),
        ("what is a repayment plan", "my uncle would give me the whole sum. would it be over then?"),
    ],
)
async def test_who_asks_soberly_in_the_middle_of_hardship_is_answered(
    classifier: DistressClassifierByMeaning, before: str, message: str
) -> None:
    assert await classifier.concern(message, [before] if before else []) is None


@pytest.mark.parametrize(
    ("message", "concern"),
    [
        ("nobody would miss me, and the insurance would pay off the house for them", Concern.SELF_HARM),
        ("I won't be here in spring, so who gets the savings account", Concern.SELF_HARM),
        (
            "he lets me have 25 a week of my own wage and checks the receipts, that's normal, isn't it?",
            Concern.ABUSE,
        ),
        (
            "the gentleman from the bank asks me to raise my limit and move it to a safe account, "
            "how do I do that?",
            Concern.FRAUD,
        ),
        ("my landlord changed the locks while I was away", Concern.HOME),
        ("I take a new app loan each month to pay the last one, there are six now", Concern.DEBT),
        ("my badge did not open the door today and HR says it is over, 9 years", Concern.JOB_LOSS),
    ],
)
async def test_who_tells_it_softly_gets_help(
    classifier: DistressClassifierByMeaning, message: str, concern: Concern
) -> None:
    assert await classifier.concern(message) is concern
