"""Exports in the shapes of real banks, made from the same made-up payments, with their totals.

Run as a script it writes them to a folder: ``python tests/unit/statements/exports.py FOLDER``.
"""

import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path

from documents import pdf
from office import workbook

WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PAYMENTS = (
    (1, "Stonegate Lettings", "RENT", "-1150.00"),
    (3, "Aldi", "ALDI STORES 1043", "-63.47"),
    (4, "Netflix", "NETFLIX.COM", "-12.99"),
    (7, "Shell", "SHELL 4411 FUEL", "-58.20"),
    (11, "Corner Cafe", "CORNER CAFE", "-7.35"),
    (15, "Aldi", "ALDI STORES 1043", "-1041.08"),
    (18, "City Power", "CITY ELECTRIC ENERGY", "-88.00"),
    (22, "Amazon", "AMAZON MARKETPLACE", "-129.90"),
    (23, "Amazon", "AMAZON REFUND", "29.90"),
    (28, "Acme Ltd", "SALARY ACME", "3250.55"),
)


@dataclass(frozen=True)
class Payment:
    """A payment of the made-up account, and the balance after it."""

    day: date
    name: str
    text: str
    amount: Decimal
    balance: Decimal


@dataclass(frozen=True)
class Export:
    """A file and what it must come to: money out and in by currency, rows that count and rows named."""

    name: str
    filename: str
    mime_type: str
    content: bytes
    totals: Mapping[str, tuple[Decimal, Decimal]]
    transactions: int
    unread: int = 0
    said: Sequence[str] = field(default=())


def payments(months: int = 3, start: date = date(2025, 1, 1)) -> list[Payment]:
    """The same payments every month, each month a little dearer."""
    found, balance = [], Decimal("2000.00")
    for month in range(months):
        for day, name, text, written in PAYMENTS:
            amount = Decimal(written) - (Decimal("1.11") * month if written.startswith("-6") else 0)
            balance += amount
            when = date(start.year, start.month + month, day)
            found.append(Payment(when, name, text, amount, balance))
    return found


ALL = payments()


def sums(entries: Sequence[Payment]) -> tuple[Decimal, Decimal]:
    """Money out and in."""
    out = -sum((each.amount for each in entries if each.amount < 0), Decimal(0))
    return out, sum((each.amount for each in entries if each.amount > 0), Decimal(0))


def comma(amount: Decimal, group: str = ".") -> str:
    """An amount as in Germany: ``1.234,56``."""
    return f"{amount:,}".replace(",", "\0").replace(".", ",").replace("\0", group)


def lakh(amount: Decimal) -> str:
    """An amount as in India: ``1,00,000.00``."""
    digits, _, cents = f"{abs(amount):.2f}".partition(".")
    head, tail = digits[:-3], digits[-3:]
    parts = [head[max(0, end - 2) : end] for end in range(len(head), 0, -2)][::-1]
    return f"{','.join([*parts, tail])}.{cents}"


def table(rows: Sequence[Sequence[object]], separator: str = ",", quoting: int = csv.QUOTE_MINIMAL) -> str:
    """Rows as CSV."""
    file = StringIO()
    csv.writer(file, delimiter=separator, quoting=quoting, lineterminator="\r\n").writerows(rows)  # type: ignore[arg-type]
    return file.getvalue()


def of(
    name: str,
    text: str | bytes,
    currency: str = "",
    *,
    filename: str = "",
    mime_type: str = "text/csv",
    encoding: str = "utf-8",
    entries: Sequence[Payment] = tuple(ALL),
    unread: int = 0,
    said: Sequence[str] = (),
) -> Export:
    """An export of the payments in one currency."""
    content = text.encode(encoding) if isinstance(text, str) else text
    ending = filename or f"{name}.csv"
    return Export(name, ending, mime_type, content, {currency: sums(entries)}, len(entries), unread, said)


def sides(amount: Decimal, show: Callable[[Decimal], str] = str) -> list[str]:
    """An amount in one of two columns."""
    return [show(-amount), ""] if amount < 0 else ["", show(amount)]


def usa() -> Iterator[Export]:
    """Banks of the United States."""
    head = "Details,Posting Date,Description,Amount,Type,Balance,Check or Slip #\r\n"
    rows: list[Sequence[object]] = [
        ("DEBIT" if p.amount < 0 else "CREDIT", f"{p.day:%m/%d/%Y}", p.text, p.amount, "ACH", p.balance, "")
        for p in reversed(ALL)
    ]
    yield of("us-chase-checking", head + table(rows))

    rows = [("Transaction Date", "Post Date", "Description", "Category", "Type", "Amount", "Memo")]
    rows += [
        (
            f"{p.day:%m/%d/%Y}",
            f"{p.day + timedelta(1):%m/%d/%Y}",
            p.text,
            "Shopping",
            "Sale" if p.amount < 0 else "Return",
            p.amount,
            "",
        )
        for p in ALL
    ]
    yield of("us-chase-card", table(rows))

    rows = [
        ("Description", "", "Summary Amt."),
        ("Beginning balance as of 01/01/2025", "", "2,000.00"),
        ("Total credits", "", "9,841.35"),
        (),
        ("Date", "Description", "Amount", "Running Bal."),
        ("01/01/2025", "Beginning balance as of 01/01/2025", "", "2,000.00"),
    ]
    rows += [(f"{p.day:%m/%d/%Y}", p.text, f"{p.amount:,}", f"{p.balance:,}") for p in ALL]
    yield of("us-bank-of-america", table(rows), unread=1, said=["has no amount"])

    rows = [(f"{p.day:%m/%d/%Y}", p.amount, "*", "", p.text) for p in ALL]
    yield of("us-wells-fargo", table(rows, quoting=csv.QUOTE_ALL))

    rows = [("Date", "Description", "Amount")]
    card = [p for p in ALL if p.amount < 0]
    paid = Payment(date(2025, 2, 20), "", "ONLINE PAYMENT - THANK YOU", Decimal("1500.00"), Decimal(0))
    rows += [(f"{p.day:%m/%d/%Y}", p.text, -p.amount) for p in (*card, paid)]
    yield of("us-amex", table(rows), entries=[*card, paid], said=["credit card"])

    rows = [("Transaction Date", "Posted Date", "Card No.", "Description", "Category", "Debit", "Credit")]
    rows += [(p.day, p.day, "4242", p.text, "Other", *sides(p.amount)) for p in ALL]
    yield of("us-capital-one", table(rows))


def ofx() -> Iterator[Export]:
    """OFX as banks write it, in both versions."""
    header = (
        "OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nSECURITY:NONE\r\nENCODING:USASCII\r\nCHARSET:1252\r\n"
        "COMPRESSION:NONE\r\nOLDFILEUID:NONE\r\nNEWFILEUID:NONE\r\n\r\n"
    )
    entries = "".join(
        f"<STMTTRN>\r\n<TRNTYPE>{'DEBIT' if p.amount < 0 else 'CREDIT'}\r\n"
        f"<DTPOSTED>{p.day:%Y%m%d}120000[-5:EST]\r\n<TRNAMT>{p.amount}\r\n<FITID>{number}\r\n"
        f"<NAME>{p.name} &amp; Co\r\n<MEMO>{p.text}\r\n</STMTTRN>\r\n"
        for number, p in enumerate(ALL)
    )
    broken = (
        "<STMTTRN>\r\n<TRNTYPE>DEBIT\r\n<DTPOSTED>20250230\r\n<TRNAMT>-5.00\r\n<FITID>x\r\n</STMTTRN>\r\n"
    )
    body = (
        "<OFX>\r\n<BANKMSGSRSV1>\r\n<STMTTRNRS>\r\n<STMTRS>\r\n<CURDEF>USD\r\n<BANKACCTFROM>\r\n<BANKID>1\r\n"
        f"<ACCTID>0042\r\n</BANKACCTFROM>\r\n<BANKTRANLIST>\r\n<DTSTART>20250101\r\n{entries}{broken}"
        "</BANKTRANLIST>\r\n<LEDGERBAL>\r\n<BALAMT>1.00\r\n</LEDGERBAL>\r\n</STMTRS>\r\n</STMTTRNRS>\r\n"
        "</BANKMSGSRSV1>\r\n</OFX>"
    )
    yield of(
        "us-ofx", header + body, "USD", filename="us.ofx", mime_type="application/octet-stream", unread=1
    )
    xml = "".join(
        f"<STMTTRN><TRNTYPE>POS</TRNTYPE><DTPOSTED>{p.day:%Y%m%d}</DTPOSTED><TRNAMT>{p.amount}</TRNAMT>"
        f"<FITID>{number}</FITID><NAME>{p.text}</NAME></STMTTRN>"
        for number, p in enumerate(ALL)
    )
    document = (
        '<?xml version="1.0" encoding="UTF-8"?><?OFX OFXHEADER="200" VERSION="220"?><OFX><CREDITCARDMSGSRSV1>'
        "<CCSTMTTRNRS><CCSTMTRS><CURDEF>CAD</CURDEF><CCACCTFROM><ACCTID>9</ACCTID></CCACCTFROM>"
        f"<BANKTRANLIST>{xml}</BANKTRANLIST></CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1></OFX>"
    )
    yield of("ca-qfx", document, "CAD", filename="card.qfx", mime_type="application/vnd.intu.qfx")


def uk() -> Iterator[Export]:
    """Banks of the United Kingdom."""
    rows: list[Sequence[object]] = [("Number", "Date", "Account", "Amount", "Subcategory", "Memo")]
    rows += [(" ", f"{p.day:%d/%m/%Y}", "20-00-00 12345678", p.amount, "PAYMENT", p.text) for p in ALL]
    yield of("uk-barclays", table(rows))

    rows = [
        (
            "Transaction Date",
            "Transaction Type",
            "Sort Code",
            "Account Number",
            "Transaction Description",
            "Debit Amount",
            "Credit Amount",
            "Balance",
        )
    ]
    rows += [
        (f"{p.day:%d/%m/%Y}", "DEB", "'30-00-00", "12345678", p.text, *sides(p.amount), p.balance)
        for p in reversed(ALL)
    ]
    yield of("uk-lloyds", table(rows))

    rows = [
        (
            "Transaction ID",
            "Date",
            "Time",
            "Type",
            "Name",
            "Emoji",
            "Category",
            "Amount",
            "Currency",
            "Local amount",
            "Local currency",
            "Notes and #tags",
            "Address",
            "Receipt",
            "Description",
            "Category split",
            "Money Out",
            "Money In",
        )
    ]
    rows += [
        (
            f"tx_{n:05}",
            f"{p.day:%d/%m/%Y}",
            "12:01:02",
            "Card payment",
            p.name,
            "",
            "Shopping",
            p.amount,
            "GBP",
            p.amount,
            "GBP",
            "",
            "",
            "",
            p.text,
            "",
            *(p.amount if (p.amount < 0) == out else "" for out in (True, False)),
        )
        for n, p in enumerate(ALL)
    ]
    yield of("uk-monzo", table(rows), "GBP")

    rows = [
        (
            "Date",
            "Counter Party",
            "Reference",
            "Type",
            "Amount (GBP)",
            "Balance (GBP)",
            "Spending Category",
            "Notes",
        )
    ]
    rows += [
        (f"{p.day:%d/%m/%Y}", p.name, p.text, "CONTACTLESS", p.amount, p.balance, "GROCERIES", "")
        for p in ALL
    ]
    yield of("uk-starling", table(rows), "GBP")

    rows = [(f"{p.day:%d/%m/%Y}", p.text, f"{p.amount:,}") for p in ALL]
    yield of("uk-hsbc", table(rows))

    rows = [
        ("Account Name:", "FlexAccount ****12345"),
        ("Account Balance:", "£1,234.56"),
        (),
        ("Date", "Transaction type", "Description", "Paid out", "Paid in", "Balance"),
    ]
    rows += [
        (f"{p.day:%d %b %Y}", "Visa purchase", p.text, *sides(p.amount, lambda a: f"£{a}"), f"£{p.balance}")
        for p in ALL
    ]
    yield of("uk-nationwide", table(rows, quoting=csv.QUOTE_ALL), "GBP", encoding="cp1252")

    head = "Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\r\n"
    rows = [
        (
            "CARD_PAYMENT",
            "Current",
            f"{p.day} 08:00:00",
            f"{p.day} 18:00:00",
            p.text,
            p.amount,
            "0.00",
            "EUR" if p.name == "Aldi" else "GBP",
            "COMPLETED",
            p.balance,
        )
        for p in ALL
    ]
    rows += [
        (
            "EXCHANGE",
            "Current",
            "2025-02-03 08:00:00",
            "2025-02-03 08:00:01",
            "Exchanged",
            "-10.00",
            "0.50",
            "GBP",
            "COMPLETED",
            "1.00",
        ),
        (
            "CARD_PAYMENT",
            "Current",
            "2025-02-04 08:00:00",
            "",
            "Shop",
            "-99.00",
            "0.00",
            "GBP",
            "REVERTED",
            "",
        ),
    ]
    euros, pounds = ([p for p in ALL if (p.name == "Aldi") == own] for own in (True, False))
    out, into = sums(pounds)
    totals = {"EUR": sums(euros), "GBP": (out + Decimal("10.50"), into)}
    content = (head + table(rows)).encode()
    yield Export("uk-revolut", "revolut.csv", "text/csv", content, totals, len(ALL) + 1, 1)

    lines = ["!Type:Bank"]
    for p in ALL:
        lines += [f"D{p.day:%d/%m/%Y}", f"T{p.amount:,}", f"P{p.name}", f"M{p.text}", "^"]
    yield of("uk-qif", "\r\n".join(lines), filename="statement.qif", mime_type="application/octet-stream")


def india() -> Iterator[Export]:
    """Banks of India."""
    big = [Payment(p.day, p.name, p.text, p.amount * 100, p.balance * 100) for p in ALL]
    rows: list[Sequence[object]] = [
        (
            "Date",
            "Narration",
            "Chq./Ref.No.",
            "Value Dt",
            "Withdrawal Amt.",
            "Deposit Amt.",
            "Closing Balance",
        )
    ]
    rows += [
        (
            f"{p.day:%d/%m/%y}",
            f"UPI-{p.text}",
            "0000501234567890",
            f"{p.day:%d/%m/%y}",
            *sides(p.amount, lambda a: f"{a:.2f}"),
            p.balance,
        )
        for p in big
    ]
    yield of("in-hdfc", table(rows), entries=big)

    rows = [
        ("Account Name", ":", "A CUSTOMER"),
        ("Account Number", ":", "_00000012345678901"),
        (),
        ("Txn Date", "Value Date", "Description", "Ref No./Cheque No.", "Debit", "Credit", "Balance"),
    ]
    rows += [
        (
            f"{p.day.day} {p.day:%b %Y}",
            f"{p.day.day} {p.day:%b %Y}",
            f"BY TRANSFER-{p.text}",
            "",
            *sides(p.amount, lakh),
            lakh(p.balance),
        )
        for p in big
    ]
    rows += [("**This is a computer generated statement",)]
    yield of(
        "in-sbi",
        table(rows, "\t"),
        entries=big,
        filename="sbi.tsv",
        mime_type="text/tab-separated-values",
        unread=1,
    )

    rows = [
        ("DETAILED STATEMENT",),
        (),
        (
            "S No.",
            "Value Date",
            "Transaction Date",
            "Cheque Number",
            "Transaction Remarks",
            "Withdrawal Amount (INR )",
            "Deposit Amount (INR )",
            "Balance (INR )",
        ),
    ]
    rows += [
        (
            n,
            f"{p.day:%d/%m/%Y}",
            f"{p.day:%d/%m/%Y}",
            "-",
            p.text,
            *(float(-p.amount) if p.amount < 0 else 0.0, float(p.amount) if p.amount > 0 else 0.0),
            float(p.balance),
        )
        for n, p in enumerate(big, 1)
    ]
    yield of(
        "in-icici-xlsx",
        workbook({"Statement": rows}),
        "INR",
        entries=big,
        filename="icici.xlsx",
        mime_type=WORKBOOK,
    )

    rows = [("Transaction Date", "Particulars", "Amount", "DR/CR", "Balance")]
    rows += [
        (f"{p.day:%d-%b-%Y}", p.text, lakh(p.amount), "DR" if p.amount < 0 else "CR", lakh(p.balance))
        for p in big
    ]
    yield of("in-axis", table(rows), entries=big)


def germany() -> Iterator[Export]:
    """Banks of Germany."""
    rows: list[Sequence[object]] = [
        (
            "Auftragskonto",
            "Buchungstag",
            "Valutadatum",
            "Buchungstext",
            "Verwendungszweck",
            "Glaeubiger ID",
            "Mandatsreferenz",
            "Kundenreferenz (End-to-End)",
            "Sammlerreferenz",
            "Lastschrift Ursprungsbetrag",
            "Auslagenersatz Ruecklastschrift",
            "Beguenstigter/Zahlungspflichtiger",
            "Kontonummer/IBAN",
            "BIC (SWIFT-Code)",
            "Betrag",
            "Waehrung",
            "Info",
        )
    ]
    rows += [
        (
            "DE02120300000000202051",
            f"{p.day:%d.%m.%y}",
            f"{p.day:%d.%m.%y}",
            "KARTENZAHLUNG",
            f"{p.text} für Übertrag",
            "",
            "",
            "",
            "",
            "",
            "",
            p.name,
            "DE89370400440532013000",
            "COBADEFF",
            comma(p.amount, ""),
            "EUR",
            "Umsatz gebucht",
        )
        for p in reversed(ALL)
    ]
    yield of("de-sparkasse", table(rows, ";", csv.QUOTE_ALL), "EUR", encoding="cp1252")

    rows = [
        ("Girokonto", "DE02120300000000202051"),
        ("Zeitraum:", "01.01.2025 - 31.03.2025"),
        ("Kontostand vom 31.03.2025:", "3.500,00 €"),
        ("",),
        (
            "Buchungsdatum",
            "Wertstellung",
            "Status",
            "Zahlungspflichtige*r",
            "Zahlungsempfänger*in",
            "Verwendungszweck",
            "Umsatztyp",
            "IBAN",
            "Betrag (€)",
            "Gläubiger-ID",
            "Mandatsreferenz",
        ),
    ]
    rows += [
        (
            f"{p.day:%d.%m.%y}",
            f"{p.day:%d.%m.%y}",
            "Gebucht",
            "Ich",
            p.name,
            p.text,
            "Ausgang" if p.amount < 0 else "Eingang",
            "DE89",
            f"{comma(p.amount)} €",
            "",
            "",
        )
        for p in ALL
    ]
    rows += [("30.03.25", "", "Vorgemerkt", "Ich", "Shop", "offen", "Ausgang", "", "-5,00 €", "", "")]
    yield of("de-dkb", table(rows, ";", csv.QUOTE_ALL), "EUR", encoding="utf-8-sig", unread=1)

    rows = [
        ("Umsatzanzeige", "Datei erstellt am: 01.04.2025"),
        (),
        ("IBAN", "DE02"),
        ("Saldo", "3.500,00", "EUR"),
        (),
        (
            "Buchung",
            "Wertstellungsdatum",
            "Auftraggeber/Empfänger",
            "Buchungstext",
            "Verwendungszweck",
            "Saldo",
            "Währung",
            "Betrag",
            "Währung",
        ),
    ]
    rows += [
        (
            f"{p.day:%d.%m.%Y}",
            f"{p.day:%d.%m.%Y}",
            p.name,
            "Lastschrift",
            p.text,
            comma(p.balance),
            "EUR",
            comma(p.amount),
            "EUR",
        )
        for p in reversed(ALL)
    ]
    yield of("de-ing", table(rows, ";"), "EUR", encoding="cp1252")

    rows = [
        (
            "Date",
            "Payee",
            "Account number",
            "Transaction type",
            "Payment reference",
            "Amount (EUR)",
            "Amount (Foreign Currency)",
            "Type Foreign Currency",
            "Exchange Rate",
        )
    ]
    rows += [(p.day, p.name, "", "MasterCard Payment", p.text, p.amount, "", "", "") for p in ALL]
    yield of("de-n26", table(rows, quoting=csv.QUOTE_ALL), "EUR")

    yield of("de-mt940", mt940(ALL), "EUR", filename="umsaetze.sta", mime_type="application/octet-stream")
    yield of("de-camt", camt(ALL), "EUR", filename="camt053.xml", mime_type="application/xml", unread=1)


def mt940(entries: Sequence[Payment]) -> str:
    """A statement of SWIFT with structured details."""
    lines = [":20:STARTUMSE", ":25:12030000/0000202051", ":28C:00000/001", ":60F:C250101EUR2000,00"]
    for p in entries:
        side = "D" if p.amount < 0 else "C"
        lines += [
            f":61:{p.day:%y%m%d}{p.day:%m%d}{side}R{comma(abs(p.amount), '')}NMSCNONREF",
            f":86:105?00KARTENZAHLUNG?109310?20{p.text[:27]}?21{p.text[27:]}?30COBADEFF?32{p.name}",
        ]
    return "\r\n".join([*lines, f":62F:C250331EUR{comma(entries[-1].balance, '')}", "-", ""])


def camt(entries: Sequence[Payment], more: str = "") -> str:
    """A camt.053 with one entry that is not booked yet."""

    def side(p: Payment, out: str, into: str) -> str:
        return out if p.amount < 0 else into

    noted = "".join(
        f"<Ntry><Amt Ccy='EUR'>{abs(p.amount)}</Amt><CdtDbtInd>{side(p, 'DBIT', 'CRDT')}</CdtDbtInd>"
        f"<Sts>BOOK</Sts><BookgDt><Dt>{p.day}</Dt></BookgDt><ValDt><Dt>{p.day}</Dt></ValDt><NtryDtls><TxDtls>"
        f"<RltdPties><{side(p, 'Cdtr', 'Dbtr')}><Nm>{p.name}</Nm>"
        f"</{side(p, 'Cdtr', 'Dbtr')}></RltdPties><RmtInf><Ustrd>{p.text}</Ustrd></RmtInf>"
        "</TxDtls></NtryDtls></Ntry>\n"
        for p in entries
    )
    pending = (
        "<Ntry><Amt Ccy='EUR'>5.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>PDNG</Sts>"
        "<BookgDt><Dt>2025-03-31</Dt></BookgDt></Ntry>"
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{more}\n'
        '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">'
        "<BkToCstmrStmt><Stmt><Id>1</Id><Acct><Id><IBAN>DE02120300000000202051</IBAN></Id></Acct>\n"
        f"{noted}{pending}</Stmt></BkToCstmrStmt></Document>"
    )


def france() -> Iterator[Export]:
    """Banks of France."""
    rows: list[Sequence[object]] = [
        ("Compte de chèques", "Compte de chèques", "****1234", "31/03/2025", "", "1 234,56"),
        (
            "Date operation",
            "Libelle court",
            "Type operation",
            "Libelle operation",
            "Montant operation en euro",
        ),
    ]
    rows += [(f"{p.day:%d-%m-%Y}", p.name, "FACTURE CARTE", p.text, comma(p.amount, " ")) for p in ALL]
    yield of("fr-bnp", table(rows, ";"), encoding="cp1252")

    rows = [
        ("Téléchargement du 01/04/2025",),
        ("Compte Dépôt n° 123456",),
        ("Solde au 31/03/2025 1 234,56 €",),
        (),
        ("Date", "Libellé", "Débit euros", "Crédit euros", ""),
    ]
    rows += [(f"{p.day:%d/%m/%Y}", p.text, *sides(p.amount, lambda a: comma(a, "\u202f")), "") for p in ALL]
    yield of("fr-credit-agricole", table(rows, ";"))

    rows = [
        (
            "dateOp",
            "dateVal",
            "label",
            "category",
            "categoryParent",
            "supplierFound",
            "amount",
            "accountNum",
            "accountLabel",
            "accountBalance",
        )
    ]
    rows += [
        (
            p.day,
            p.day,
            p.text,
            "Alimentation",
            "Vie quotidienne",
            p.name,
            comma(p.amount, " "),
            "0001",
            "BoursoBank",
            comma(p.balance, " "),
        )
        for p in ALL
    ]
    yield of("fr-boursobank", table(rows, ";"))


def canada() -> Iterator[Export]:
    """Banks of Canada."""
    rows: list[Sequence[object]] = [
        (
            "Account Type",
            "Account Number",
            "Transaction Date",
            "Cheque Number",
            "Description 1",
            "Description 2",
            "CAD$",
            "USD$",
        )
    ]
    rows += [
        ("Chequing", "00001-1234567", f"{p.day.month}/{p.day.day}/{p.day.year}", "", p.text, "", p.amount, "")
        for p in ALL
    ]
    yield of("ca-rbc", table(rows), "CAD")

    rows = [(f"{p.day:%m/%d/%Y}", p.text, *sides(p.amount), p.balance) for p in ALL]
    yield of("ca-td", table(rows))

    rows = [(f"{p.day:%m/%d/%Y}", p.amount, "-", "POS Purchase", p.text) for p in ALL]
    yield of("ca-scotiabank", table(rows))

    lines = [("Statement period 2025", "", "")] + [
        (f"{p.day:%b %d}", p.text, f"{abs(p.amount):,} {p.balance:,}") for p in ALL
    ]
    yield of(
        "ca-pdf",
        pdf("\n".join(" ".join(line).strip() for line in lines[:31])),
        filename="statement.pdf",
        mime_type="application/pdf",
        said=["in page 1, line 2"],
    )


def australia() -> Iterator[Export]:
    """Banks of Australia."""
    rows: list[Sequence[object]] = [
        (f"{p.day:%d/%m/%Y}", f"{p.amount:+}", p.text, f"{p.balance:+}") for p in reversed(ALL)
    ]
    yield of("au-commbank", table(rows, quoting=csv.QUOTE_ALL))

    rows = [
        (
            "Date",
            "Amount",
            "Account Number",
            "",
            "Transaction Type",
            "Transaction Details",
            "Balance",
            "Category",
            "Merchant Name",
        )
    ]
    rows += [
        (
            f"{p.day:%d %b %y}",
            p.amount,
            "123456789",
            "",
            "EFTPOS DEBIT",
            p.text,
            p.balance,
            "Shopping",
            p.name,
        )
        for p in ALL
    ]
    yield of("au-nab", table(rows))

    rows = [
        (
            "Bank Account",
            "Date",
            "Narrative",
            "Debit Amount",
            "Credit Amount",
            "Balance",
            "Categories",
            "Serial",
        )
    ]
    rows += [
        ("032000123456", f"{p.day:%d/%m/%Y}", p.text, *sides(p.amount), p.balance, "PAYMENT", "") for p in ALL
    ]
    yield of("au-westpac", table(rows))

    rows = [("Date", "Description", "Amount", "Balance")]
    rows += [(p.day, p.text, float(p.amount), float(p.balance)) for p in ALL]
    yield of(
        "au-anz-xlsx",
        workbook({"Summary": [("Closing balance", 1.5)], "Transactions": rows}),
        filename="anz.xlsx",
        mime_type=WORKBOOK,
    )


EXPORTS = [
    export for country in (usa, ofx, uk, india, germany, france, canada, australia) for export in country()
]

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for each in EXPORTS:
        (folder / f"{each.name}-{each.filename}").write_bytes(each.content)
