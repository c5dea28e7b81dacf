import { signal } from '@preact/signals-react'
import { useSignals } from '@preact/signals-react/runtime'

const waiting = signal<((isProved: boolean) => void) | null>(null)

export function useProofAsked() {
  useSignals()
  return waiting.value !== null
}

/** A second question takes the place of the first. */
export function askProof() {
  answerProof(false)
  return new Promise<boolean>((resolve) => (waiting.value = resolve))
}

export function answerProof(isProved: boolean) {
  waiting.peek()?.(isProved)
  waiting.value = null
}
