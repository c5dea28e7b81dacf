import * as z from 'zod'
import { endpoint } from '../http/endpoint'

export const publicSettings = endpoint({
  path: '/api/public/settings',
  access: 'public',
  summary: 'Settings of the public forms, and the name and version of this Earshot',
  reply: z.object({
    turnstile_site_key: z.string().nullable(),
    trial_days: z.int(),
    version: z.string(),
    edition: z.string().nullable(),
    build: z.string().nullable(),
    /** The address to write to. */
    contact: z.string().nullable(),
    /** Pages of who runs this Earshot. */
    terms_url: z.string().nullable(),
    privacy_url: z.string().nullable(),
    plans_url: z.string().nullable(),
  }),
})
