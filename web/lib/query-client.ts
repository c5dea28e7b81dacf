import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query'
import { ApiError } from './call'
import { holdFocus } from './held-focus'
import { showError, showSuccess } from './notice'
import { Refusal } from './outcome'

export type Meta = {
  /** A function that answers undefined shows no notice. */
  failure?: string | ((error: Error) => string | undefined) | undefined
  /** Where this query fails as well, it tells for both. */
  told_by?: QueryKey
  /** How long the notice stays, if not as long as usual. */
  failure_ms?: number
  success?: string
  /** Queries that the change makes outdated: asked for again before it is done. */
  changes?: readonly QueryKey[]
}

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: Meta
    mutationMeta: Meta
  }
}

const fresh_ms = 30_000
const maxRetries = 2
/** Colleagues behind one address are many at once for a moment. */
const shortWait_s = 2

export const queryClient = newQueryClient()

export function newQueryClient() {
  const held = new WeakMap<object, () => void>()
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { meta }) => {
        if (isOffline(error)) return
        void (meta?.told_by ? tellPartFailure(client, error, meta) : tellLoss(error, meta))
      },
    }),
    mutationCache: new MutationCache({
      onMutate: (_variables, mutation) => void held.set(mutation, holdFocus()),
      onSettled: (...[, , , , mutation]) => held.get(mutation)?.(),
      onError: (error, _variables, _result, { meta }) => tellFailure(error, meta),
      onSuccess: (_data, _variables, _result, ...[{ meta }, context]) => {
        if (meta?.success) showSuccess(meta.success)
        return Promise.all((meta?.changes ?? []).map((queryKey) => context.client.invalidateQueries({ queryKey })))
      },
    }),
    defaultOptions: {
      // Without a connection a call fails and says so, instead of waiting for one in silence.
      queries: { staleTime: fresh_ms, retry: isWorthRetrying, networkMode: 'always', refetchOnReconnect: true },
      mutations: { networkMode: 'always' },
    },
  })
  return client
}

async function tellPartFailure(client: QueryClient, error: Error, meta: Meta) {
  try {
    await client.getQueryCache().find({ queryKey: meta.told_by ?? [] })?.promise
  } catch {
    return
  }
  tellLoss(error, meta)
}

/** Parts of a screen that fail alike tell it once. */
function tellLoss(error: Error, meta: Meta | undefined) {
  if (typeof meta?.failure === 'string') showFailure(error, meta.failure, meta.failure_ms, meta.failure)
  else tellFailure(error, meta)
}

function tellFailure(error: Error, meta: Meta | undefined) {
  if (!meta?.failure) return
  if (typeof meta.failure === 'string') return showFailure(error, meta.failure, meta.failure_ms)
  const message = hasEnded(error) ? undefined : meta.failure(error)
  if (message) showError(message)
}

export function showFailure(error: Error, failure: string, shown_ms?: number, id?: string) {
  if (hasEnded(error)) return
  // The reason is the same for all that is pressed.
  if (isTrialOver(error)) return showError(error.message, undefined, shown_ms, 'trial')
  const reason = failureReason(error)
  showError(failure, reason === failure ? undefined : reason, shown_ms, id)
}

/** The reason in the worker's words, if there is one. */
function failureReason(error: Error) {
  if (error instanceof Refusal) return error.message
  if (!(error instanceof ApiError)) return undefined
  if (![0, 400, 403, 409, 429, 502, 503].includes(error.status))
    return error.reference && `Reference ${error.reference}`
  return error.issues[0]?.message ?? error.message
}

// A banner says it for all that cannot be read.
const isOffline = (error: Error) => error instanceof ApiError && error.code === 'offline'

const isTrialOver = (error: Error) => error instanceof ApiError && error.code === 'trial_ended'

// A session that has ended shows the sign-in page instead.
const hasEnded = (error: Error) => error instanceof ApiError && error.code === 'token_not_valid'

function isWorthRetrying(failures: number, error: Error) {
  const isOurFault = error instanceof ApiError && error.status >= 400 && error.status < 500
  const isBusy = error instanceof ApiError && error.wait_s > 0 && error.wait_s <= shortWait_s
  return (!isOurFault || isBusy) && failures < maxRetries
}
