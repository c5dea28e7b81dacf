import { useParams } from 'react-router-dom'

/** The id in the address; undefined when what stands there is none. */
export function useIdParam() {
  const { id = '' } = useParams()
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined
}
