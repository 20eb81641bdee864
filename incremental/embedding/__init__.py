"""Tools for programs that run a session: a view of each document, and loops for threads and asyncio.

    a loop                        the session        a view of each document
    receive(event)          ->    receive
    runs jobs               <->   jobs_to_run, job_done
    wakes it in time        ->    wake_at, tick
    messages                <-    messages_to_send   ->    sentences, steps

`ThreadedSession` and `AsyncSession` are the loops; a `DocumentView` takes messages and holds the present
analyses. The server stands on neither loop, since it shares its threads among many sessions, but its client
folds messages with the same view.
"""
