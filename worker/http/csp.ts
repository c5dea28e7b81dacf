import { createHash } from 'node:crypto'

export const cspHash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
