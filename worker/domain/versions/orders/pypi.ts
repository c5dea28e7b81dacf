import { compare, valid } from '@renovatebot/pep440'
import type { Order } from './order'

/** PEP 440, with epochs, pre-, post- and development releases and local versions. */
export const pypi: Order<string> = { parse: (text) => valid(text.trim()), compare }
