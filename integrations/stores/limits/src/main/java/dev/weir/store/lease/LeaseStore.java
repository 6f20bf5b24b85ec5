package dev.weir.store.lease;

/** A store that leases the permits of semaphores, by its own clock, to the instances that share them. Thread-safe; no method blocks. */
public interface LeaseStore {
    /**
     * The leases of one semaphore, as one instance asks for them. Does not ask the store yet.
     *
     * @param name instances with the same name share the semaphore; not blank
     * @param holder another one for each instance and each start of it: 1 to 32 ASCII letters and digits
     * @throws IllegalArgumentException if one of them is not so
     */
    Leases leases(String name, String holder);
}
