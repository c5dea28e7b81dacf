const formula = /^'*[=+\-@\t\r]/
const quoted = /^'+[=+\-@\t\r]/

/** A spreadsheet runs what begins with one of these signs; an apostrophe makes it text. */
export const quoteCell = (text: string) => (formula.test(text) ? `'${text}` : text)
export const unquoteCell = (text: string) => (quoted.test(text) ? text.slice(1) : text)
