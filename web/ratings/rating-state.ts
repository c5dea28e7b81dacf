import { computed, signal } from '@preact/signals-react'
import { useSignals } from '@preact/signals-react/runtime'
import { rate } from '../../worker/domain/rating'
import { defaultRating, formatRatingVector, parseRatingVector } from '../../worker/domain/rating-vector'
import type { RatingCode, RatingMetrics, WrongToken } from '../../worker/domain/rating-vector'

const metrics = signal<RatingMetrics>(defaultRating)
const wrong = signal<WrongToken[]>([])
const vector = computed(() => formatRatingVector(metrics.value))
const rating = computed(() => rate(vector.value))

export function useRating() {
  useSignals()
  return { metrics: metrics.value, wrong: wrong.value, vector: vector.value, rating: rating.value }
}

/** What the address says; the default rating where it says nothing. */
export function openVector(text: string | null) {
  const read = text ? parseRatingVector(text) : { metrics: text === null ? defaultRating : {}, wrong: [] }
  metrics.value = read.metrics
  wrong.value = read.wrong
}

/** Answers the vector as it is then; a metric set to nothing leaves it. */
export function setMetric(code: RatingCode, value: string | undefined) {
  const { [code]: _, ...others } = metrics.peek()
  metrics.value = value === undefined ? others : { ...others, [code]: value }
  wrong.value = []
  return vector.peek()
}
