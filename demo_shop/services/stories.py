"""The talks that the demo starts with. Every name and address is fictional."""

# ruff: noqa: E501 - what people say is kept on one line

from dataclasses import dataclass, field

CUSTOMER, AGENT, MEMBER, NOTE = "customer", "agent", "member", "note"
PERSON, TAKE_OVER, HAND_BACK, RESOLVE = "person", "take_over", "hand_back", "resolve"

Step = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Story:
    """One talk: who, how many hours ago it began, in which language, and what happened."""

    customer: str
    email: str
    hours_ago: float
    steps: list[Step]
    title: str = ""
    stage: str = ""
    locale: str = "en"
    member: str = ""
    labels: list[str] = field(default_factory=list)


LUMEN = [
    Story(
        "Ada Brook", "ada@example.com", 0.4,
        [
            (CUSTOMER, "Hi! I ordered the Aster desk lamp (order 1003) with the wrong address."),
            (AGENT, "You can change the delivery address until the order is shipped: open **Account → Orders**, choose the order and press **Change order**."),
            (CUSTOMER, "It says shipped already. What now?"),
            (PERSON, "the order is shipped and cannot be changed any more"),
        ],
        title="Wrong delivery address on order 1003", stage="Order", labels=["delivery"],
    ),
    Story(
        "Bo Lindqvist", "bo@example.com", 1.2,
        [
            (CUSTOMER, "how long do I have to send the floor lamp back?"),
            (AGENT, "You can return any item within 30 days of delivery. Returns are free: open **Account → Orders → Return** and print the label."),
            (CUSTOMER, "great thanks"),
        ],
        title="Return period for a floor lamp", stage="After sale",
    ),
    Story(
        "ليلى حداد", "layla@example.com", 2.5,
        [
            (CUSTOMER, "مرحبا، هل يمكنني تغيير عنوان التوصيل للطلب 1004؟"),
            (PERSON, "كتبت بالعربية"),
            (TAKE_OVER, ""),
            (MEMBER, "أهلاً ليلى، نعم، غيّرنا العنوان للطلب 1004. ستصلك رسالة تأكيد بالبريد."),
            (CUSTOMER, "شكراً جزيلاً! 🙏"),
        ],
        title="تغيير عنوان الطلب 1004", stage="Order", locale="ar", member="sam",
    ),
    Story(
        "Cleo Marsh", "cleo@example.com", 5,
        [
            (CUSTOMER, "The shade of my Beacon arrived cracked :("),
            (AGENT, "I am sorry. Send us a photo within 14 days and we replace the lamp or refund it in full; you need not send the broken one back."),
            (CUSTOMER, "I sent the photo by e-mail this morning. Can somebody look?"),
            (PERSON, "a photo was sent by e-mail"),
            (TAKE_OVER, ""),
            (NOTE, "Photo is in the shared mailbox, crack is clearly from transport. Replacement approved."),
            (MEMBER, "Hello Cleo, I have your photo here. A new shade leaves our warehouse today."),
        ],
        title="Cracked shade on arrival", stage="After sale", member="ines", labels=["damage"],
    ),
    Story(
        "Dario Fonseca", "dario@example.com", 9,
        [
            (CUSTOMER, "Olá! Quanto custa o envio para Lisboa?"),
            (AGENT, "Shipping costs 4.90. It is free for orders of 75.00 or more."),
        ],
        title="Shipping cost to Lisbon", locale="pt", stage="Interest",
    ),
    Story(
        "Ella Novak", "ella@example.com", 20,
        [
            (CUSTOMER, "I cannot sign in, the reset mail never arrives"),
            (AGENT, "The link is sent to the e-mail address of your account and works for 30 minutes. If nothing arrives within ten minutes, look in the spam folder and check the address."),
            (CUSTOMER, "it was in spam. thank you!"),
            (AGENT, "You are welcome. Is there anything else I can help you with?"),
            (TAKE_OVER, ""),
            (RESOLVE, ""),
        ],
        title="Password reset mail in spam", member="sam",
    ),
    Story(
        "Finn O'Hara", "finn@example.com", 30,
        [
            (CUSTOMER, "Do you sell solar garden lights?"),
            (PERSON, "nothing about solar lights in the knowledge"),
        ],
        title="Solar garden lights", stage="Interest",
    ),
    Story(
        "Greta Vos", "greta@example.com", 52,
        [
            (CUSTOMER, "Is there a warranty on the electronics?"),
            (AGENT, "Every lamp has a warranty of five years from delivery. It covers electronics, switches and joints."),
        ],
        title="Warranty on electronics", stage="Interest",
    ),
    Story(
        "Hana Sato", "hana@example.com", 80,
        [
            (CUSTOMER, "Which bulb fits the Cove wall light?"),
            (AGENT, "The Cove wall light takes a G9 bulb. All other lamps take E27 bulbs of up to 10 watts LED."),
            (CUSTOMER, "perfect, thank you!"),
        ],
        title="Bulb for the Cove", stage="Order",
    ),
    Story(
        "Ivo Petrov", "ivo@example.com", 130,
        [
            (CUSTOMER, "I need an invoice with our VAT number"),
            (AGENT, "For a company invoice enter the VAT number before you pay. You find all invoices under **Account → Orders → Invoice**."),
            (CUSTOMER, "I paid already without it"),
            (PERSON, "invoice without VAT number"),
            (TAKE_OVER, ""),
            (MEMBER, "Hello Ivo, write me the VAT number here and I make you a new invoice."),
            (RESOLVE, ""),
        ],
        title="Invoice with VAT number", member="ines", labels=["invoice"],
    ),
]  # fmt: skip

TIDEWATER = [
    Story(
        "Jun Park", "jun@example.com", 3,
        [
            (CUSTOMER, "How long should oolong steep?"),
            (AGENT, "Oolong steeps for three minutes at 85 °C."),
        ],
        title="Steeping oolong",
    ),
    Story(
        "Cleo Marsh", "cleo@example.com", 26,
        [
            (CUSTOMER, "Please pause my subscription until March"),
            (AGENT, "Open **My tea → Subscription → Pause**. You can pause for up to three months; the next box is moved."),
            (CUSTOMER, "The button is grey"),
            (PERSON, "the pause button does not work"),
        ],
        title="Pausing a subscription",
    ),
]  # fmt: skip
