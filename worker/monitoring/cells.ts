import { cellSigns } from '../http/row-file'

// At each semicolon, too, as a list is read back whole.
const bare = new RegExp(`(^|;)(?='*${cellSigns})`, 'g')
const quoted = new RegExp(`(^|;)'(?='*${cellSigns})`, 'g')

/** A spreadsheet runs what begins with one of these signs; an apostrophe makes it text. */
export const quoteCell = (text: string) => text.replace(bare, "$1'")
export const unquoteCell = (text: string) => text.replace(quoted, '$1')
