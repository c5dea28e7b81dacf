import { getWeakness } from '../../../worker/taxonomy/contract'
import { askFor } from '../../lib/ask'

export const weaknessQuery = (id: number) =>
  askFor(['weaknesses', 'detail', id], getWeakness, { params: { id: String(id) } })
