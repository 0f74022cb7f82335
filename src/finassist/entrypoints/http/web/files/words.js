// The page's own words, in the language that the service chose for the page by what the browser asked for.
export const language = document.documentElement.lang;

const words = await (await fetch(`web/${language}.json`)).json();
const plurals = new Intl.PluralRules(language);

// The words of a key, with values in their places. A number `n` chooses between `key.one` and `key.other`.
export const t = (key, values = {}) => (words[key] ?? words[`${key}.${plurals.select(values.n)}`] ?? words[`${key}.other`] ?? key)
	.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
