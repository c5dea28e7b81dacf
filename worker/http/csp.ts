import { createHash } from 'node:crypto'

/** How a content security policy names a script or style that stands in the page. */
export const cspHash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
