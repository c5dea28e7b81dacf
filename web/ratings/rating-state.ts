import { computed, signal } from '@preact/signals-react'
import { useSignals } from '@preact/signals-react/runtime'
import { computeRating } from '../../worker/domain/scores/rating'
import { defaultRating, formatRatingVector, parseRatingVector } from '../../worker/domain/scores/rating-vector'
import type { RatingCode, RatingMetrics, WrongToken } from '../../worker/domain/scores/rating-vector'

const metrics = signal<RatingMetrics>(defaultRating)
const wrong = signal<WrongToken[]>([])
const vector = computed(() => formatRatingVector(metrics.value))
const rating = computed(() => computeRating(vector.value))

export function useRating() {
  useSignals()
  return { metrics: metrics.value, wrong: wrong.value, vector: vector.value, rating: rating.value }
}

/** An address without a vector opens the default rating. */
export function openVector(text: string | null) {
  const read = text ? parseRatingVector(text) : { metrics: text === null ? defaultRating : {}, wrong: [] }
  metrics.value = read.metrics
  wrong.value = read.wrong
}

/** Answers the new vector; `undefined` removes the metric from it. */
export function setMetric(code: RatingCode, value: string | undefined) {
  const { [code]: _, ...others } = metrics.peek()
  metrics.value = value === undefined ? others : { ...others, [code]: value }
  wrong.value = []
  return vector.peek()
}
