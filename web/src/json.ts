/**
 * parse reads JSON whose seeds have more digits than a number of JavaScript: they become texts. Inside of a text the quotes of the name
 * would be escaped.
 */
export function parse<T>(text: string): T {
  return JSON.parse(text.replace(/"seed":\s*(\d{16,})/g, '"seed":"$1"')) as T;
}
