"""Countries, what comes from them, and the largest cities: where the answer depends on the place."""

from typing import Final

NATIONALITIES: Final = frozenset(
    """
    african american asian australian austrian belgian brazilian british canadian chinese czech
    danish dutch egyptian english european filipino finnish french german greek indian indonesian
    irish israeli italian japanese kenyan korean mexican nigerian norwegian portuguese romanian
    russian scottish spanish swedish swiss thai turkish vietnamese
    """.split()
)

PLACES: Final = NATIONALITIES | frozenset(
    """
    afghanistan africa alaska albania algeria america amsterdam angola argentina argentine arizona
    armenia asia athens auckland australia austria azerbaijan bahrain bangkok bangladesh barcelona
    beijing belarus belgium berlin bolivia bosnia botswana brazil britain brussels bulgaria
    california cambodia cameroon canada chicago chile chilean china colombia colorado connecticut
    croatia croatian cuba cyprus czechia delhi denmark dubai dublin ecuador edinburgh egypt england
    estonia ethiopia europe finland florida france frankfurt geneva germany ghana glasgow greece
    guatemala hamburg hawaii hungarian hungary iceland illinois india indonesia iran iraq ireland
    israel istanbul italy jakarta jamaica japan kazakhstan kenya korea kuwait lagos latvia lebanon
    libya lisbon lithuania london luxembourg macau madrid malaysia malaysian malta manchester
    mauritius melbourne mexico michigan milan moldova monaco mongolia montreal morocco moscow
    mozambique mumbai munich myanmar nairobi namibia nepal netherlands nicaragua nigeria norway ohio
    oman ontario oslo pakistan panama paraguay paris peru philippines poland portugal prague qatar
    quebec romania rome russia rwanda scotland senegal seoul serbia shanghai singapore slovakia
    slovenia spain stockholm sudan sweden switzerland sydney syria taiwan tanzania texas thailand
    tokyo toronto tunisia turkey uganda ukraine uruguay usa uzbekistan vancouver venezuela vienna
    vietnam wales warsaw welsh yemen zambia zimbabwe zurich
    """.split()
)
