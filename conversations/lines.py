"""What the desk itself tells a customer, in the customer's language."""

from conversations.models import Event

_LINES: dict[str, dict[str, str]] = {
    Event.Kind.TAKEN_OVER: {
        "en": "{name} joined",
        "es": "{name} se ha unido",
        "de": "{name} ist jetzt dabei",
        "fr": "{name} a rejoint la conversation",
        "pt": "{name} entrou na conversa",
        "ar": "انضم {name} إلى المحادثة",
    },
    Event.Kind.HANDED_BACK: {
        "en": "The AI agent answers again",
        "es": "El agente de IA vuelve a responder",
        "de": "Der KI-Agent antwortet wieder",
        "fr": "L’agent IA répond à nouveau",
        "pt": "O agente de IA volta a responder",
        "ar": "عاد وكيل الذكاء الاصطناعي للرد",
    },
    Event.Kind.FAILED: {
        "en": "We could not answer just now. A colleague will get back to you here.",
        "es": "No hemos podido responder ahora. Un colega le responderá aquí.",
        "de": "Wir konnten gerade nicht antworten. Ein Kollege meldet sich hier bei Ihnen.",
        "fr": "Nous n’avons pas pu répondre à l’instant. Un collègue vous répondra ici.",
        "pt": "Não conseguimos responder agora. Um colega vai responder aqui.",
        "ar": "لم نتمكن من الرد الآن. سيرد عليك أحد الزملاء هنا.",
    },
    Event.Kind.WAITING_FOR_COLLEAGUE: {
        "en": "A colleague must confirm this. You can go on writing.",
        "es": "Un colega debe confirmarlo. Puede seguir escribiendo.",
        "de": "Ein Kollege muss das bestätigen. Sie können weiterschreiben.",
        "fr": "Un collègue doit confirmer. Vous pouvez continuer à écrire.",
        "pt": "Um colega precisa confirmar. Pode continuar a escrever.",
        "ar": "يجب أن يؤكد أحد الزملاء ذلك. يمكنك متابعة الكتابة.",
    },
    Event.Kind.PERSON_ASKED: {
        "en": "A colleague has been asked to join. You will get the answer here.",
        "es": "Hemos avisado a un colega. Recibirá la respuesta aquí.",
        "de": "Ein Kollege wurde gerufen. Sie bekommen die Antwort hier.",
        "fr": "Un collègue a été appelé. Vous recevrez la réponse ici.",
        "pt": "Um colega foi chamado. A resposta chegará aqui.",
        "ar": "تم استدعاء أحد الزملاء. ستصلك الإجابة هنا.",
    },
    Event.Kind.RESOLVED: {
        "en": "This conversation was resolved. Write again at any time to reopen it.",
        "es": "Esta conversación se ha resuelto. Escriba de nuevo cuando quiera para reabrirla.",
        "de": "Dieses Gespräch ist abgeschlossen. Schreiben Sie jederzeit, um es wieder zu öffnen.",
        "fr": "Cette conversation est résolue. Écrivez à tout moment pour la rouvrir.",
        "pt": "Esta conversa foi resolvida. Escreva a qualquer momento para a reabrir.",
        "ar": "تم حل هذه المحادثة. اكتب في أي وقت لإعادة فتحها.",
    },
}


def line_for(kind: str, locale: str, **values: str) -> str:
    """The public line of an event; empty for events that customers do not see."""
    translations = _LINES.get(kind)
    if translations is None:
        return ""
    language = locale.lower().split("-")[0]
    return translations.get(language, translations["en"]).format(**values)


_EXPORT: dict[str, dict[str, str]] = {
    "title": {
        "en": "Your data",
        "es": "Sus datos",
        "de": "Ihre Daten",
        "fr": "Vos données",
        "pt": "Os seus dados",
        "ar": "بياناتك",
    },
    "lede": {
        "en": "What we hold about you. The files beside this page say the same to programs.",
        "es": "Lo que guardamos sobre usted. Los archivos adjuntos son para programas.",
        "de": "Was wir über Sie haben. Die Dateien daneben sind für Programme.",
        "fr": "Ce que nous avons sur vous. Les fichiers joints sont pour les programmes.",
        "pt": "O que temos sobre si. Os ficheiros ao lado são para programas.",
        "ar": "ما نحتفظ به عنك. الملفات المرفقة مخصصة للبرامج.",
    },
    "profile": {
        "en": "Profile",
        "es": "Perfil",
        "de": "Profil",
        "fr": "Profil",
        "pt": "Perfil",
        "ar": "الملف الشخصي",
    },
    "name": {
        "en": "Name",
        "es": "Nombre",
        "de": "Name",
        "fr": "Nom",
        "pt": "Nome",
        "ar": "الاسم",
    },
    "email": {
        "en": "E-mail address",
        "es": "Correo electrónico",
        "de": "E-Mail-Adresse",
        "fr": "Adresse e-mail",
        "pt": "Endereço de e-mail",
        "ar": "البريد الإلكتروني",
    },
    "conversation": {
        "en": "Conversation",
        "es": "Conversación",
        "de": "Gespräch",
        "fr": "Conversation",
        "pt": "Conversa",
        "ar": "محادثة",
    },
    "you": {"en": "You", "es": "Usted", "de": "Sie", "fr": "Vous", "pt": "Você", "ar": "أنت"},
    "teammate": {
        "en": "Team member",
        "es": "Miembro del equipo",
        "de": "Teammitglied",
        "fr": "Membre de l’équipe",
        "pt": "Membro da equipa",
        "ar": "عضو الفريق",
    },
    "begun": {
        "en": "Begun",
        "es": "Inicio",
        "de": "Begonnen",
        "fr": "Début",
        "pt": "Início",
        "ar": "البداية",
    },
    "contents": {
        "en": "Conversations",
        "es": "Conversaciones",
        "de": "Gespräche",
        "fr": "Conversations",
        "pt": "Conversas",
        "ar": "المحادثات",
    },
    "none": {
        "en": "No conversation.",
        "es": "Ninguna conversación.",
        "de": "Kein Gespräch.",
        "fr": "Aucune conversation.",
        "pt": "Nenhuma conversa.",
        "ar": "لا توجد محادثات.",
    },
    "made": {
        "en": "Made on {day}. All times are UTC.",
        "es": "Creado el {day}. Todas las horas son UTC.",
        "de": "Erstellt am {day}. Alle Zeiten in UTC.",
        "fr": "Créé le {day}. Toutes les heures sont en UTC.",
        "pt": "Criado a {day}. Todas as horas são UTC.",
        "ar": "أُنشئ في {day}. جميع الأوقات بالتوقيت العالمي UTC.",
    },
    "withheld": {
        "en": "(words of somebody else)",
        "es": "(palabras de otra persona)",
        "de": "(Worte einer anderen Person)",
        "fr": "(paroles d’une autre personne)",
        "pt": "(palavras de outra pessoa)",
        "ar": "(كلام شخص آخر)",
    },
    "removed": {
        "en": "(a file that was removed)",
        "es": "(un archivo eliminado)",
        "de": "(eine entfernte Datei)",
        "fr": "(un fichier supprimé)",
        "pt": "(um ficheiro removido)",
        "ar": "(ملف تمت إزالته)",
    },
}


def words_of_export(locale: str) -> tuple[str, dict[str, str]]:
    """The language of a customer's export, and its words."""
    asked = locale.lower().split("-")[0]
    language = asked if asked in _EXPORT["title"] else "en"
    return language, {name: said[language] for name, said in _EXPORT.items()}
