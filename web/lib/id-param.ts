import { useParams } from 'react-router-dom'

export function useIdParam() {
  const { id = '' } = useParams()
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined
}
