package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.internal.Require;
import dev.weir.spi.Registration;
import dev.weir.store.lease.HeldLease;
import dev.weir.store.lease.LeaseReply;
import dev.weir.store.lease.LeaseStore;
import dev.weir.store.lease.LeaseTerms;
import dev.weir.store.lease.Leases;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;

/** The leases of semaphores that a script counts, each semaphore at one key. Thread-safe; does not block. */
record RedisLeases(Scripts scripts, Channels channels) implements LeaseStore {
    private static final Pattern HOLDER = Pattern.compile("[0-9A-Za-z]{1,32}");

    @Override
    public Leases leases(String name, String holder) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("name must not be blank");
        }
        boolean isHolder = HOLDER.matcher(holder).matches();
        Require.that(isHolder, "holder must be 1 to 32 ASCII letters and digits", "\"" + holder + "\"");
        byte[] key = Objects.requireNonNull(KeyName.of("semaphore", name).of(null));
        return new ScriptedLeases(scripts, Script.semaphore(), channels, key, holder);
    }

    /** Those of one semaphore and holder. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record ScriptedLeases(Scripts scripts, Script script, Channels channels, byte[] key, String holder)
            implements Leases {
        @Override
        public CompletionStage<LeaseReply> acquire(long permits, LeaseTerms terms, long waitMicros) {
            return grant(Script.ACQUIRE, permits, terms, waitMicros);
        }

        @Override
        public CompletionStage<LeaseReply> charge(long permits, LeaseTerms terms) {
            return grant(Script.CHARGE, permits, terms, 0);
        }

        private CompletionStage<LeaseReply> grant(int operation, long permits, LeaseTerms terms, long waitMicros) {
            return scripts.run(script, key, SemaphoreScript.grant(operation, permits, terms, holder, waitMicros))
                    .thenApply(SemaphoreScript::reply);
        }

        @Override
        public CompletionStage<List<Boolean>> renew(List<HeldLease> leases, LeaseTerms terms) {
            return each(SemaphoreScript.RENEW, leases, terms);
        }

        @Override
        public CompletionStage<?> release(List<HeldLease> leases, LeaseTerms terms) {
            return each(SemaphoreScript.RELEASE, leases, terms);
        }

        private CompletionStage<List<Boolean>> each(int operation, List<HeldLease> leases, LeaseTerms terms) {
            if (leases.size() > MOST_LEASES) {
                return CompletableFuture.failedFuture(
                        new IllegalArgumentException("leases must be <= " + MOST_LEASES + ", were " + leases.size()));
            }
            return scripts.run(script, key, SemaphoreScript.leases(operation, leases, terms, holder))
                    .thenApply(reply -> SemaphoreScript.done(reply, leases.size()));
        }

        @Override
        public Registration listen(Runnable told) {
            return channels.listen(new String(key, US_ASCII) + ':' + holder, told);
        }
    }
}
