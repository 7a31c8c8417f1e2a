"""The fixed sentences of the offline client, in the languages of the desk."""

import re

LANGUAGES = ("en", "es", "de", "fr", "pt", "ar")

GREETING = {
    "en": "Hello! What would you like to know?",
    "es": "¡Hola! ¿Qué le gustaría saber?",
    "de": "Hallo! Was möchten Sie wissen?",
    "fr": "Bonjour ! Que souhaitez-vous savoir ?",
    "pt": "Olá! O que gostaria de saber?",
    "ar": "مرحبًا! ماذا تود أن تعرف؟",
}
WELCOME = {
    "en": "You are welcome! Write again whenever you need something.",
    "es": "¡De nada! Escriba de nuevo cuando necesite algo.",
    "de": "Gern geschehen! Schreiben Sie wieder, wenn Sie etwas brauchen.",
    "fr": "Avec plaisir ! Écrivez-nous dès que vous avez besoin de quelque chose.",
    "pt": "De nada! Escreva novamente quando precisar.",
    "ar": "على الرحب والسعة! اكتب لنا متى احتجت إلى شيء.",
}
NOT_FOUND = {
    "en": "I found nothing about this in our knowledge. I have asked a colleague to join you here.",
    "es": "No encontré nada sobre esto. He pedido a un colega que le atienda aquí.",
    "de": "Dazu habe ich nichts gefunden. Ich habe einen Kollegen gebeten, hier zu übernehmen.",
    "fr": "Je n’ai rien trouvé à ce sujet. J’ai demandé à un collègue de vous répondre ici.",
    "pt": "Não encontrei nada sobre isso. Pedi a um colega que continue aqui consigo.",
    "ar": "لم أجد شيئًا عن هذا في معارفنا. طلبت من أحد الزملاء أن ينضم إليك هنا.",
}
OFFER = {
    "en": "I found nothing about this. You can ask for a person here at any time.",
    "es": "No encontré nada sobre esto. Puede pedir hablar con una persona cuando quiera.",
    "de": "Dazu habe ich nichts gefunden. Sie können hier jederzeit um eine Person bitten.",
    "fr": "Je n’ai rien trouvé à ce sujet. Vous pouvez demander une personne à tout moment.",
    "pt": "Não encontrei nada sobre isso. Pode pedir para falar com uma pessoa quando quiser.",
    "ar": "لم أجد شيئًا عن هذا. يمكنك طلب التحدث إلى شخص في أي وقت.",
}
PERSON = {
    "en": "I have asked a colleague to join you here.",
    "es": "He pedido a un colega que le atienda aquí.",
    "de": "Ich habe einen Kollegen gebeten, hier zu übernehmen.",
    "fr": "J’ai demandé à un collègue de vous répondre ici.",
    "pt": "Pedi a um colega que continue aqui consigo.",
    "ar": "طلبت من أحد الزملاء أن ينضم إليك هنا.",
}
NOT_DONE = {
    "en": "This was not done. Ask for a person here if you would like to know more.",
    "es": "Esto no se ha hecho. Pida hablar con una persona si quiere saber más.",
    "de": "Das wurde nicht gemacht. Bitten Sie hier um eine Person, wenn Sie mehr wissen möchten.",
    "fr": "Cela n’a pas été fait. Demandez une personne ici si vous voulez en savoir plus.",
    "pt": "Isto não foi feito. Peça para falar com uma pessoa se quiser saber mais.",
    "ar": "لم يتم ذلك. اطلب التحدث إلى شخص هنا إذا أردت معرفة المزيد.",
}
SOURCE = {
    "en": "Source",
    "es": "Fuente",
    "de": "Quelle",
    "fr": "Source",
    "pt": "Fonte",
    "ar": "المصدر",
}
SUPPORT_SAID = {
    "en": "Our colleague wrote",
    "es": "Nuestro colega escribió",
    "de": "Unser Kollege schrieb",
    "fr": "Notre collègue a écrit",
    "pt": "O nosso colega escreveu",
    "ar": "كتب زميلنا",
}

_HELLO = (
    "hi|hello|hey|hiya|good (morning|afternoon|evening|day)|hola"
    "|buen[oa]s ?(d[ií]as|tardes|noches)?"
    "|hallo|guten (tag|morgen|abend)|moin|servus|bonjour|bonsoir|salut|ol[aá]|oi|bom dia"
    "|boa (tarde|noite)|مرحبا|مرحبًا|السلام عليكم|أهلا"
)
_THANKS = (
    "thanks?( you)?( (so|very) much| a lot)?|thx|ty|cheers|gracias|muchas gracias|danke"
    "( sch[oö]n)?|vielen dank|merci( beaucoup)?|obrigad[oa]|muito obrigad[oa]|شكرا( جزيلا)?|شكرًا"
    "|ok(ay)?|great|perfect|bye|goodbye"
)
_AFTER = r"( (there|all|everyone|team|again|then))*"
_PERSON = (
    r"\b(human|real person|someone real|(speak|talk|chat) (to|with) (a |some)?(person|someone"
    r"|agent|human|colleague)|persona( real)?|humano|mensch|mitarbeiter(in)?|une? personne"
    r"|conseiller|pessoa|atendente)\b|شخص|موظف"
)
_SAID = (
    r"\bwhat (did|has|was) .{1,40}\b(say|said|write|written|tell|told)\b|qu[eé] (dijo|ha dicho)"
    r"|was (hat|sagte|schrieb)\b.{0,40}|qu.(a|est-ce que).{0,30} dit\b|o que .{0,30}disse|ماذا قال"
)
BY_SUPPORT = re.compile(r"\[[^\]\n]*, support\] ")
WHAT_WAS_SAID = re.compile(_SAID, re.IGNORECASE)
HELLO = re.compile(f"({_HELLO}){_AFTER}", re.IGNORECASE)
THANKS = re.compile(f"({_THANKS})( ({_THANKS}))*{_AFTER}", re.IGNORECASE)
WANTS_PERSON = re.compile(_PERSON, re.IGNORECASE)
_MARKS = re.compile(r"[^\w\s]+")


def say(phrases: dict[str, str], locale: str) -> str:
    """The sentence in the language of the locale; English for any other."""
    return phrases.get(locale.lower().replace("_", "-").split("-")[0], phrases["en"])


def bare(line: str) -> str:
    """The line without punctuation and emoji, in single spaces."""
    return " ".join(_MARKS.sub(" ", line).split())
