/** How many digits at the end of two phone numbers must be equal: providers write the rest differently. */
const LOCAL_DIGITS = 8;
/** From so many digits on, a number begins with its country. */
const WITH_COUNTRY = 11;
const COUNTRY_DIGITS = 3;

/**
 * Whether two texts are the same phone number. `229 01 90 00 00 01` and `22990000001` are, and the same digits in
 * another country are not.
 */
export function isSameParty(one: string, other: string): boolean {
  const [a, b] = [digitsOf(one), digitsOf(other)];
  if (a.slice(-LOCAL_DIGITS) !== b.slice(-LOCAL_DIGITS)) return false;
  const haveCountries = a.length >= WITH_COUNTRY && b.length >= WITH_COUNTRY;
  return !haveCountries || a.slice(0, COUNTRY_DIGITS) === b.slice(0, COUNTRY_DIGITS);
}

/** The end of a phone number as it stands in a request, however that writes its country. */
export function localDigitsOf(phone: string): string {
  return digitsOf(phone).slice(-LOCAL_DIGITS);
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '').replace(/^0+/, '');
}
