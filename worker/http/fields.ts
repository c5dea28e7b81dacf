import * as z from 'zod'
import { stamp } from '../db/time'

export const Id = z.coerce
  .number<number | string>({ error: 'A whole number is required' })
  .int()
  .positive()
  .max(Number.MAX_SAFE_INTEGER)
export const IdParams = z.object({ id: Id })
/** Documented as 0 or more but not checked, so that no answer fails because of a counter. */
export const Tally = z.int().meta({ minimum: 0 })
export const Success = z.object({ status: z.literal('success') })

/** As JSON, or as forms and queries spell it: true, "true", "True", 1. */
export const Flag = z.union([
  z.boolean(),
  z.stringbool({ truthy: ['true', '1', 'yes', 'on'], falsy: ['false', '0', 'no', 'off'] }),
])

/** 2026-11-20 or 2026-11-20T08:00:00Z, read as UTC. */
export const When = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z?)?$/, {
    error: 'Must be YYYY-MM-DD, with or without a time in UTC',
    abort: true,
  })
  .refine((text) => !Number.isNaN(Date.parse(text)), 'There is no such day or time')

/** The same schema under each of these names. */
export const sameFields = <Name extends string, Schema>(names: readonly Name[], schema: Schema) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<NoInfer<Name>, Schema>

/** A form field with one value is a list of one. */
export const listSchema = <Item extends z.ZodType>(item: Item, { min = 0, max }: { min?: number; max: number }) =>
  z.preprocess(
    (value: z.input<Item>[]) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(item).min(min).max(max),
  )

const latest_ms = Date.UTC(9999, 0)

/** With or without milliseconds or zone; a text that is no time counts as absent. */
export const LooseTime = z
  .string()
  .max(100)
  .nullable()
  .transform((text) => {
    const time = Date.parse(text ?? '')
    return Number.isNaN(time) || time < 0 || time > latest_ms ? undefined : stamp(new Date(time))
  })
