"""Countries, what comes from them, and the largest cities: where the answer depends on the place."""

from typing import Final

PLACES: Final = frozenset(
    """
    afghanistan africa african alaska albania algeria america american amsterdam angola argentina
    argentine arizona armenia asia asian athens auckland australia australian austria austrian
    azerbaijan bahrain bangkok bangladesh barcelona beijing belarus belgian belgium berlin bolivia
    bosnia botswana brazil brazilian britain british brussels bulgaria california cambodia cameroon
    canada canadian chicago chile chilean china chinese colombia colorado connecticut croatia
    croatian cuba cyprus czech czechia danish delhi denmark dubai dublin dutch ecuador edinburgh
    egypt egyptian england english estonia ethiopia europe european filipino finland finnish florida
    france frankfurt french geneva german germany ghana glasgow greece greek guatemala hamburg
    hawaii hungarian hungary iceland illinois india indian indonesia indonesian iran iraq ireland
    irish israel israeli istanbul italian italy jakarta jamaica japan japanese kazakhstan kenya
    kenyan korea korean kuwait lagos latvia lebanon libya lisbon lithuania london luxembourg macau
    madrid malaysia malaysian malta manchester mauritius melbourne mexican mexico michigan milan
    moldova monaco mongolia montreal morocco moscow mozambique mumbai munich myanmar nairobi namibia
    nepal netherlands nicaragua nigeria nigerian norway norwegian ohio oman ontario oslo pakistan
    panama paraguay paris peru philippines poland portugal portuguese prague qatar quebec romania
    romanian rome russia russian rwanda scotland scottish senegal seoul serbia shanghai singapore
    slovakia slovenia spain spanish stockholm sudan sweden swedish swiss switzerland sydney syria
    taiwan tanzania texas thai thailand tokyo toronto tunisia turkey turkish uganda ukraine uruguay
    usa uzbekistan vancouver venezuela vienna vietnam vietnamese wales warsaw welsh yemen zambia
    zimbabwe zurich
    """.split()
)
