const DEGREE = Math.PI / 180;
const EARTH_TILT = 23.44 * DEGREE;

/** The sine of the sun's elevation above the horizon at a local hour (0 to 24); negative at night. */
export type SunOfDay = (hour: number) => number;

/** Computes the sun's course over one day (1 is the first of January); it culminates at 12. */
export function sunOfDay(latitudeDegrees: number, dayOfYear: number): SunOfDay {
  const latitude = latitudeDegrees * DEGREE;
  // Ten days before the new year the sun stands furthest south.
  const declination = -EARTH_TILT * Math.cos((2 * Math.PI * (dayOfYear + 10)) / 365.25);
  const mean = Math.sin(latitude) * Math.sin(declination);
  const swing = Math.cos(latitude) * Math.cos(declination);
  return (hour) => mean + swing * Math.cos((hour - 12) * 15 * DEGREE);
}

/** Computes the clear-sky irradiance on level ground in W/m² (Haurwitz's model); 0 at night. */
export function clearSkyWattsPerSquareMetre(elevationSine: number): number {
  return elevationSine > 0 ? 1098 * elevationSine * Math.exp(-0.057 / elevationSine) : 0;
}
