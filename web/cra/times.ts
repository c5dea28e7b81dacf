import { useEffect, useState } from 'react'
import { findShownZone, fromWallClock, toWallClock } from '../lib/zone'

const minute_ms = 60_000
const [hour, day] = [60, 24 * 60]

/** YYYY-MM-DD HH:MM in the reader's zone: of a deadline midnight is a time as any other. */
export const formatDeadline = (at: string) => toWallClock(at)

/** Such as UTC+1. */
export function nameZone(now: Date) {
  const parts = new Intl.DateTimeFormat('en', { timeZone: findShownZone(), timeZoneName: 'shortOffset' }).formatToParts(
    now,
  )
  return (parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC').replace('GMT', 'UTC')
}

/** Time left until a deadline, in its two largest units: '5 h 12 min left', 'overdue by 2 days 3 h'. */
export function describeLeft(due: string, now: Date) {
  const minutes = Math.floor((Date.parse(due) - now.getTime()) / minute_ms)
  const size = Math.abs(minutes)
  const words = describeMinutes(size)
  return minutes < 0 ? `overdue by ${words}` : `${words} left`
}

function describeMinutes(minutes: number) {
  if (minutes >= day) {
    const days = Math.floor(minutes / day)
    return `${days} ${days === 1 ? 'day' : 'days'} ${Math.floor((minutes % day) / hour)} h`
  }
  return minutes >= hour ? `${Math.floor(minutes / hour)} h ${minutes % hour} min` : `${minutes} min`
}

/** Goes on each half minute. */
export function useNow() {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), minute_ms / 2)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** For a field of date and time, which shows the reader's zone. */
export const toField = (at: string) => toWallClock(at).replace(' ', 'T')

export const fromField = (text: string) => fromWallClock(text)
