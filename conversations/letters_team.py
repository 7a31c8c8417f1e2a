"""What the desk writes to owners and privacy officers about a request's clock.

In the language of their workspace, without a word about whose request it is: mail lies about.
"""

from datetime import date
from typing import NamedTuple


class Letter(NamedTuple):
    """Subject and text."""

    subject: str
    text: str


_NEAR_SUBJECTS = {
    "en": "A request to delete data is due on {due}",
    "es": "Una solicitud de eliminación de datos vence el {due}",
    "de": "Ein Antrag auf Löschung ist am {due} fällig",
    "fr": "Une demande d’effacement arrive à échéance le {due}",
    "pt": "Um pedido de eliminação de dados vence a {due}",
    "ar": "طلب حذف بيانات يستحق في {due}",
}
_NEAR = {
    "en": (
        "Somebody asked {company} on {asked} to delete their data. The law gives you until"
        " {due}. The request is not finished yet.\n\nSee what it waits for:\n{link}"
    ),
    "es": (
        "Alguien pidió a {company} el {asked} que se eliminaran sus datos. La ley le da plazo"
        " hasta el {due}. La solicitud aún no ha terminado.\n\nVea qué espera:\n{link}"
    ),
    "de": (
        "Jemand hat {company} am {asked} gebeten, die eigenen Daten zu löschen. Das Gesetz"
        " gibt Ihnen Zeit bis {due}. Der Antrag ist noch nicht abgeschlossen.\n\nSehen Sie"
        " nach, worauf er wartet:\n{link}"
    ),
    "fr": (
        "Une personne a demandé à {company}, le {asked}, la suppression de ses données. La"
        " loi vous laisse jusqu’au {due}. La demande n’est pas encore terminée.\n\nVoyez ce"
        " qu’elle attend :\n{link}"
    ),
    "pt": (
        "Alguém pediu à {company}, a {asked}, que os seus dados fossem eliminados. A lei"
        " dá-lhe até {due}. O pedido ainda não está concluído.\n\nVeja do que está à"
        " espera:\n{link}"
    ),
    "ar": (
        "طلب شخص من {company} بتاريخ {asked} حذف بياناته. يمنحكم القانون مهلة حتى {due}. ولم"
        " يكتمل الطلب بعد.\n\nاطّلعوا على ما ينتظره:\n{link}"
    ),
}
_OVERDUE_SUBJECTS = {
    "en": "A request to delete data is overdue since {due}",
    "es": "Una solicitud de eliminación de datos venció el {due}",
    "de": "Ein Antrag auf Löschung ist seit {due} überfällig",
    "fr": "Une demande d’effacement est en retard depuis le {due}",
    "pt": "Um pedido de eliminação de dados está em atraso desde {due}",
    "ar": "طلب حذف بيانات متأخر منذ {due}",
}
_OVERDUE = {
    "en": (
        "Somebody asked {company} on {asked} to delete their data. It should have been done"
        " by {due} and is not. Look at it today, and tell the person why it takes"
        " longer.\n\n{link}"
    ),
    "es": (
        "Alguien pidió a {company} el {asked} que se eliminaran sus datos. Debía estar hecho"
        " el {due} y no lo está. Revísela hoy y explique a la persona por qué tarda"
        " más.\n\n{link}"
    ),
    "de": (
        "Jemand hat {company} am {asked} gebeten, die eigenen Daten zu löschen. Das sollte"
        " bis {due} erledigt sein und ist es nicht. Sehen Sie heute nach und sagen Sie der"
        " Person, warum es länger dauert.\n\n{link}"
    ),
    "fr": (
        "Une personne a demandé à {company}, le {asked}, la suppression de ses données."
        " C’était à faire avant le {due} et ce n’est pas fait. Traitez-la aujourd’hui et"
        " expliquez à la personne pourquoi cela prend plus de temps.\n\n{link}"
    ),
    "pt": (
        "Alguém pediu à {company}, a {asked}, que os seus dados fossem eliminados. Devia"
        " estar feito até {due} e não está. Veja-o hoje e diga à pessoa porque demora"
        " mais.\n\n{link}"
    ),
    "ar": (
        "طلب شخص من {company} بتاريخ {asked} حذف بياناته. كان يجب إنجازه حتى {due} ولم يُنجز."
        " راجعوه اليوم وأخبروا الشخص بسبب التأخير.\n\n{link}"
    ),
}


def near(locale: str, *, company: str, asked: date, due: date, link: str) -> Letter:
    """A request's day comes nearer."""
    words = _NEAR_SUBJECTS, _NEAR
    return _filled(words, locale, company=company, asked=asked, due=due, link=link)


def overdue(locale: str, *, company: str, asked: date, due: date, link: str) -> Letter:
    """A request's day is over."""
    words = _OVERDUE_SUBJECTS, _OVERDUE
    return _filled(words, locale, company=company, asked=asked, due=due, link=link)


def _filled(words: tuple[dict[str, str], dict[str, str]], locale: str, **values: object) -> Letter:
    subjects, texts = words
    language = locale.lower().split("-")[0]
    language = language if language in subjects else "en"
    return Letter(subjects[language].format(**values), texts[language].format(**values))
