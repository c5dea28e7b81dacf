import { useParams } from 'react-router-dom'

export function useIdParam() {
  return readId(useParams().id)
}

export const readId = (id = '') => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined)
