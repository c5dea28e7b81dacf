import { z } from 'zod'

/** It stands in the subject of mails: no line ends or other control characters. */
export const OrgName = z
  .string()
  .trim()
  .min(2, 'At least 2 characters')
  .max(100)
  .regex(/^\P{Cc}*$/u, 'Must be one line')
