package dev.weir.benchmarks.store;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The bytes of a key in its store, means over all keys: after one request for each, and after ten. */
record KeyMemory(double one, double ten) {
    /** The same for all, since names are part of the keys. */
    private static final String NAME = "search";

    private static final int REQUESTS = 10;
    private static final int IN_FLIGHT = 128;

    /** Of a database: ten requests for each of them take minutes if there are many, and a row is as large as another one. */
    static final int ROWS = 1_000;

    /**
     * Asks each key of a row that measures memory. The store forgets all else.
     *
     * @param pauses whether there is time between the requests
     */
    static KeyMemory of(StoreRow row, StoreRow.Memory memory, String uri, StoreMemory store, boolean pauses)
            throws InterruptedException {
        store.forget();
        int keys = row.place().isRedis()
                ? row.terms().keys()
                : Math.min(row.terms().keys(), ROWS);
        Terms terms = new Terms(keys, memory.permits(), memory.period());
        try (Contender contender = row.starter().start(uri, NAME, terms)) {
            ask(contender, keys);
            double one = (double) store.keyBytes() / keys;
            for (int i = 1; i < REQUESTS; i++) {
                if (pauses) {
                    pause(memory.pause().toNanos());
                }
                ask(contender, keys);
            }
            return new KeyMemory(one, (double) store.keyBytes() / keys);
        }
    }

    private static void ask(Contender contender, int keys) throws InterruptedException {
        Requests requests = new Requests(contender, 0);
        Semaphore inFlight = new Semaphore(IN_FLIGHT);
        for (int key = 0; key < keys; key++) {
            inFlight.acquire();
            requests.ask(key, false, inFlight);
        }
        contender.flush();
        inFlight.acquire(IN_FLIGHT);
        requests.check();
    }

    private static void pause(long nanos) {
        long begin = System.nanoTime();
        for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - begin)) {
            LockSupport.parkNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(100)));
        }
    }
}
