import type { ReactNode } from 'react'
import { renderRoutes } from './app'

/** Shows one screen at an address. */
export const show = (element: ReactNode, address = '/') => renderRoutes([{ path: '*', element }], address)
