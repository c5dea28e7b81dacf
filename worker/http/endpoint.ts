import type * as z from 'zod'
import type { Access } from '../domain/people/access'
import type { Success } from './fields'

export type Schema = z.ZodType | undefined
type Written<S> = S extends z.ZodType ? z.input<S> : undefined
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

/** One HTTP endpoint as a value: the worker serves it, the web calls it, the OpenAPI page lists it. */
export type Endpoint<P extends Schema, Q extends Schema, B extends Schema, Reply> = Definition<P, Q, B, Reply> & {
  method: Method
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Definition<P extends Schema, Q extends Schema, B extends Schema, Reply> = {
  method?: Method
  path: string
  /** Other spellings that older clients use; served alike, not listed in the OpenAPI document. */
  aliases?: string[]
  access: Access
  /** Clients call it by this method, too. */
  alsoMethod?: 'POST' | 'PUT'
  /** The specification uses GET although it changes state: we serve it, but refuse calls from other sites and prefetches. */
  alsoGet?: boolean
  /**
   * Allowed although it writes when the organization's trial is over: it concerns the own account, or leaving. Removing (DELETE)
   * is allowed anyway.
   */
  isOwnAccount?: boolean
  /**
   * The caller is asked for before it begins. Other writes begin meanwhile, as they touch nothing but the database before they have read, and
   * write only then (`early.ts`).
   */
  asksFirst?: boolean
  /** Knowledge that is the same for everybody: any copy of the database answers, and the edge keeps the answer (`edge.ts`). */
  isShared?: boolean
  /** How many calls it counts as in the throttle, 1 by default; more where it reads or writes much. */
  cost?: number
  /** Limit of a body that may exceed the usual megabyte. */
  max_bytes?: number
  summary: string
  params?: P
  query?: Q
  body?: B
  /** The body is a document of any type, which the handler reads as it streams in (`file`). */
  file?: boolean
  status?: 200 | 201
  reply: z.ZodType<Reply>
  /** The content types, where it is not JSON alone. */
  produces?: string | string[]
}

export type AnyEndpoint = Endpoint<Schema, Schema, Schema, unknown>

type Given<Key extends string, Value> = Value extends undefined
  ? unknown
  : Record<never, never> extends Value
    ? { [key in Key]?: Value }
    : { [key in Key]: Value }
/** As the caller writes it: fields with a default may be left out. */
export type Call<P extends Schema, Q extends Schema, B extends Schema> = Given<'params', Written<P>> &
  Given<'query', Written<Q>> &
  Given<'body', Written<B>>
/** As the handler gets it: parsed, with defaults. */
export type Input<P extends Schema, Q extends Schema, B extends Schema> = {
  params: Parsed<P>
  query: Parsed<Q>
  body: Parsed<B>
}

/** Without a reply of its own it tells its success: the Worker adds that schema (`route.ts`), which the web's early start has no room for. */
export function endpoint<
  Reply = z.output<typeof Success>,
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
>({
  method = 'GET',
  ...definition
}: Omit<Definition<P, Q, B, Reply>, 'reply'> & { reply?: z.ZodType<Reply> }): Endpoint<P, Q, B, Reply> {
  return { method, ...definition } as Endpoint<P, Q, B, Reply>
}
