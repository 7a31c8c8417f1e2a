"""What the desk writes to a person by e-mail, in their language; nothing of what they wrote."""

from datetime import datetime
from typing import Any

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
        "It begins now and will be done by {day} at the latest. You can close this page.",
    ),
    "es": (
        "Eliminar sus datos",
        "Todo lo que {company} tiene aquí de sus conversaciones se eliminará para siempre.",
        "Eliminar mis datos",
        "Empieza ahora y terminará a más tardar el {day}. Puede cerrar esta página.",
    ),
    "de": (
        "Ihre Daten löschen",
        "Alles, was {company} hier von Ihren Gesprächen hat, wird für immer gelöscht.",
        "Meine Daten löschen",
        "Es beginnt jetzt und ist spätestens am {day} erledigt. Sie können die Seite schließen.",
    ),
    "fr": (
        "Supprimer vos données",
        "Tout ce que {company} possède ici de vos conversations sera supprimé définitivement.",
        "Supprimer mes données",
        "Cela commence maintenant et sera fait au plus tard le {day}. Vous pouvez fermer la page.",
    ),
    "pt": (
        "Eliminar os seus dados",
        "Tudo o que {company} tem aqui das suas conversas será eliminado para sempre.",
        "Eliminar os meus dados",
        "Começa agora e estará concluído o mais tardar a {day}. Pode fechar esta página.",
    ),
    "ar": (
        "حذف بياناتك",
        "سيُحذف نهائيًا كل ما لدى {company} هنا من محادثاتك.",
        "احذف بياناتي",
        "يبدأ الحذف الآن وينتهي في موعد أقصاه {day}. يمكنك إغلاق هذه الصفحة.",
    ),
}


def page_for(locale: str, *, company: str, due_at: datetime) -> dict[str, Any]:
    """The words of the page behind the link."""
    language = _language(locale)
    title, text, button, thanks = _PAGES[language]
    return {
        "language": language,
        "rtl": language == "ar",
        "title": title,
        "text": text.format(company=company),
        "button": button,
        "thanks": thanks.format(day=due_at.date().isoformat()),
        "done": False,
    }


def _language(locale: str) -> str:
    language = locale.lower().split("-")[0]
    return language if language in _PAGES else "en"
