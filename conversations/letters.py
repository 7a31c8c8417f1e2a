"""What the desk writes to a person by e-mail, in their language; nothing of what they wrote."""

from datetime import datetime
from typing import Any

from django.utils import translation
from django.utils.formats import date_format

_SUBJECTS = {
    "en": "Please confirm that your data is to be deleted",
    "es": "Confirme que desea eliminar sus datos",
    "de": "Bitte bestätigen Sie, dass Ihre Daten gelöscht werden sollen",
    "fr": "Veuillez confirmer la suppression de vos données",
    "pt": "Confirme que os seus dados devem ser eliminados",
    "ar": "يرجى تأكيد حذف بياناتك",
}
_TEXTS = {
    "en": (
        "{company} was asked to delete the data of the person with this address.\n\n"
        "If that was you, confirm it here within 7 days:\n{link}\n\n"
        "If it was not you, do nothing: nothing will be deleted."
    ),
    "es": (
        "{company} ha recibido la petición de eliminar los datos de la persona con esta"
        " dirección.\n\nSi fue usted, confírmelo aquí en un plazo de 7 días:\n{link}\n\n"
        "Si no fue usted, no haga nada: no se eliminará nada."
    ),
    "de": (
        "{company} wurde gebeten, die Daten der Person mit dieser Adresse zu löschen.\n\n"
        "Wenn Sie das waren, bestätigen Sie es hier innerhalb von 7 Tagen:\n{link}\n\n"
        "Wenn nicht, tun Sie nichts: Es wird nichts gelöscht."
    ),
    "fr": (
        "{company} a reçu la demande de supprimer les données de la personne à cette adresse.\n\n"
        "Si c’était vous, confirmez-le ici sous 7 jours :\n{link}\n\n"
        "Sinon, ne faites rien : rien ne sera supprimé."
    ),
    "pt": (
        "{company} recebeu o pedido de eliminar os dados da pessoa com este endereço.\n\n"
        "Se foi você, confirme aqui no prazo de 7 dias:\n{link}\n\n"
        "Se não foi, não faça nada: nada será eliminado."
    ),
    "ar": (
        "تلقت {company} طلبًا بحذف بيانات صاحب هذا العنوان.\n\n"
        "إذا كنت أنت من طلب ذلك، فأكِّد هنا خلال 7 أيام:\n{link}\n\n"
        "وإن لم تكن أنت، فلا تفعل شيئًا: لن يُحذف أي شيء."
    ),
}


def letter_for(locale: str, *, company: str, link: str) -> tuple[str, str]:
    """Subject and text of the letter with the link."""
    language = _language(locale)
    return _SUBJECTS[language], _TEXTS[language].format(company=company, link=link)


_PAGES = {
    "en": (
        "Delete your data",
        "Everything that {company} has of your conversations here will be deleted for good.",
        "Delete my data",
        "Thank you. It is confirmed and will be done by {day}. You can close this page.",
    ),
    "es": (
        "Eliminar sus datos",
        "Todo lo que {company} tiene aquí de sus conversaciones se eliminará para siempre.",
        "Eliminar mis datos",
        "Gracias. Está confirmado y se hará antes del {day}. Puede cerrar esta página.",
    ),
    "de": (
        "Ihre Daten löschen",
        "Alles, was {company} hier von Ihren Gesprächen hat, wird für immer gelöscht.",
        "Meine Daten löschen",
        "Danke. Es ist bestätigt und wird bis {day} erledigt. Sie können die Seite schließen.",
    ),
    "fr": (
        "Supprimer vos données",
        "Tout ce que {company} possède ici de vos conversations sera supprimé définitivement.",
        "Supprimer mes données",
        "Merci. C’est confirmé et ce sera fait d’ici le {day}. Vous pouvez fermer cette page.",
    ),
    "pt": (
        "Eliminar os seus dados",
        "Tudo o que {company} tem aqui das suas conversas será eliminado para sempre.",
        "Eliminar os meus dados",
        "Obrigado. Está confirmado e será feito até {day}. Pode fechar esta página.",
    ),
    "ar": (
        "حذف بياناتك",
        "سيُحذف نهائيًا كل ما لدى {company} هنا من محادثاتك.",
        "احذف بياناتي",
        "شكرًا. تم التأكيد وسيُنفَّذ في موعد أقصاه {day}. يمكنك إغلاق هذه الصفحة.",
    ),
}


_FINAL = {
    "en": "This cannot be undone. If you did not ask for it, close this page: nothing is deleted.",
    "es": "No se puede deshacer. Si no lo pidió, cierre esta página: no se eliminará nada.",
    "de": "Das lässt sich nicht rückgängig machen. Wenn Sie es nicht wollten, schließen Sie die"
    " Seite: Es wird nichts gelöscht.",
    "fr": "C’est irréversible. Si vous ne l’avez pas demandé, fermez cette page : rien ne sera"
    " supprimé.",
    "pt": "Não pode ser desfeito. Se não o pediu, feche esta página: nada será eliminado.",
    "ar": "لا يمكن التراجع عن ذلك. إن لم تطلبه فأغلق هذه الصفحة: لن يُحذف أي شيء.",
}
_ENDED = {
    "en": (
        "This link does not work any more",
        (
            "It was used already, its 7 days are over, or a part of it is missing. If your data is"
            " still to be deleted, please ask for it again."
        ),
    ),
    "es": (
        "Este enlace ya no funciona",
        (
            "Ya se usó, han pasado sus 7 días o falta una parte. Si aún quiere que se eliminen sus"
            " datos, pídalo de nuevo."
        ),
    ),
    "de": (
        "Dieser Link gilt nicht mehr",
        (
            "Er wurde schon benutzt, seine 7 Tage sind vorbei, oder ein Teil davon fehlt. Wenn Ihre"
            " Daten noch gelöscht werden sollen, bitten Sie erneut darum."
        ),
    ),
    "fr": (
        "Ce lien ne fonctionne plus",
        (
            "Il a déjà servi, ses 7 jours sont passés ou il est incomplet. Si vos données doivent"
            " encore être supprimées, veuillez le redemander."
        ),
    ),
    "pt": (
        "Esta ligação já não funciona",
        (
            "Já foi usada, os 7 dias passaram ou falta uma parte. Se ainda quer eliminar os seus"
            " dados, volte a pedir."
        ),
    ),
    "ar": (
        "لم يعد هذا الرابط صالحًا",
        (
            "لقد استُخدم من قبل أو انتهت أيامه السبعة أو ينقصه جزء. إذا كنت لا تزال تريد حذف بياناتك"
            " فاطلب ذلك مرة أخرى."
        ),
    ),
}


def page_for(locale: str, *, company: str, due_at: datetime) -> dict[str, Any]:
    """The words of the page behind the link."""
    language = _language(locale)
    title, text, button, thanks = _PAGES[language]
    with translation.override(language):
        day = date_format(due_at, "DATE_FORMAT")
    return {
        **_frame(language, title),
        "company": company,
        "text": text.format(company=company),
        "final": _FINAL[language],
        "button": button,
        "thanks": thanks.format(day=day),
    }


def page_of_ended_link(locale: str) -> dict[str, Any]:
    """The words for whoever comes too late, twice, or with half a link: one page for all."""
    language = _language(locale)
    title, text = _ENDED[language]
    return {**_frame(language, title), "ended": text}


def _frame(language: str, title: str) -> dict[str, Any]:
    return {"language": language, "rtl": language == "ar", "title": title, "done": False}


def _language(locale: str) -> str:
    language = locale.lower().split("-")[0]
    return language if language in _PAGES else "en"
