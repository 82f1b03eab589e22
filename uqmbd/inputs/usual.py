"""Usual units and what they are in SI, as pint says it: a study that has no others need not load pint, which takes a second.

`tests/uqmbd/test_start.py` compares every number with pint's, to the last bit.
"""

TABLE = """
m: m mm=0.001 cm=0.01 um=1e-06 µm=1e-06 nm=1e-09 km=1000.0 inch=0.0254 in=0.0254 ft=0.30479999999999996 meter millimeter=0.001
    micrometer=1e-06
kg: kg g=0.001 mg=1e-06 gram=0.001 tonne=1000.0 t=1000.0
s: s ms=0.001 us=1e-06 µs=1e-06 min=60.0 minute=60.0 h=3600.0 hour=3600.0
kg·m/s²: N kN=1000.0 mN=0.001 MN=1000000.0 lbf=4.4482216152605005 newton
kg/m/s²: Pa kPa=1000.0 MPa=1000000.0 GPa=1000000000.0 mPa=0.001 bar=100000.0 psi=6894.7572931683635 N/m^2 N/mm^2=1000000.0
rad: rad mrad=0.001 deg=0.017453292519943295 degree=0.017453292519943295
rad/s: rpm=0.10471975511965977 rad/s deg/s=0.017453292519943295
1/s: Hz kHz=1000.0 MHz=1000000.0 hertz 1/s
kg·m²/s²: J kJ=1000.0 mJ=0.001 MJ=1000000.0 N*m N*mm=0.001 kN*m=1000.0 mN*m=0.001
kg·m²/s³: W kW=1000.0 mW=0.001
kg·m²/A/s³: V mV=0.001 kV=1000.0
A: A mA=0.001
kg·m²/A²/s³: ohm
K: K kelvin
1: percent=0.01 %=0.01 1 dimensionless um/m=1e-06 mm/m=0.001
m/s: m/s mm/s=0.001 km/h=0.2777777777777778
m/s²: m/s^2 mm/s^2=0.001
kg/m: kg/m
kg/m³: kg/m^3 g/cm^3=999.9999999999999
kg·m²: kg*m^2 g*mm^2=1e-09 kg*mm^2=1e-06
kg/s²: N/m N/mm=1000.0 kN/mm=1000000.0 kN/m=1000.0 MN/m=1000000.0 N/um=1000000.0 N/µm=1000000.0 kg/s^2
kg/s: N*s/m N*s/mm=1000.0 kN*s/m=1000.0 kg/s
kg·m²/rad/s²: N*m/rad N*m/deg=57.29577951308232 N*mm/rad=0.001
kg·m²/rad/s: N*m*s/rad N*mm*s/rad=0.001
kg/m/s: Pa*s mPa*s=0.001 cP=0.001
m²: mm^2=1e-06 cm^2=0.0001 m^2
m³: mm^3=1e-09 m^3 l=0.0010000000000000002
m⁴: mm^4=1.0000000000000002e-12 m^4 cm^4=1e-08
1/m: 1/m
1/K: 1/K
1/rad: 1/rad
kg·m²/K/s²: J/K
kg·m²/K/s³: W/K
kg·m/K/s³: W/(m*K)
m²/K/s²: J/(kg*K)
m²/s: m^2/s mm^2/s=1e-06 cSt=1.0000000000000002e-06
m³/s: l/min=1.666666666666667e-05 m^3/s
kg·m/s: N*s
s/m: s/m
rad/s²: rad/s^2
m/s³: m/s^3
kg/s³: W/m^2
"""  # symbol of the SI unit: units, each with its factor where that is not 1


def _read() -> dict[str, tuple[float, float, str]]:
    table = {"degC": (1.0, 273.15, "K")}
    for line in TABLE.replace("\n    ", " ").strip().splitlines():
        symbol, _, units = line.partition(": ")
        for unit in units.split():
            name, _, factor = unit.partition("=")
            table[name] = table[name.replace("^", "**")] = (float(factor or 1.0), 0.0, "" if symbol == "1" else symbol)
    return table


UNITS = _read()  # factor, offset, symbol of the SI unit
