"""What the desk writes to a person by e-mail, in their language; nothing of what they wrote."""

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
    language = locale.lower().split("-")[0]
    language = language if language in _TEXTS else "en"
    return _SUBJECTS[language], _TEXTS[language].format(company=company, link=link)
