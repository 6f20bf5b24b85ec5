package dev.weir.store.state;

import dev.weir.store.state.Call.Kind;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arithmetic of a rate in a store: what an operation makes of the state of one key. It reads no clock and knows no store, so any
 * store that replaces a value by compare-and-set counts any rate.
 *
 * <p>A state of another rule or of other parameters is converted: what it has used stays used. Bytes that are no state count as an absent
 * key, and the first step that writes replaces them.
 *
 * <p>Rates are made by {@code StateRates.of} of {@code weir-store-limits}, from the specifications that a user writes.
 *
 * <p>Numbers are in microseconds and in units: a unit is so small that a permit and what leaks in a microsecond are whole numbers of it.
 * All numbers are at most 2^52. Immutable.
 */
public final class StateRate {
    private static final long NANOS = 1_000;

    private final Arithmetic arithmetic;
    private final long largest;
    private final boolean isSettled;
    private final boolean isOnce;

    private StateRate(Arithmetic arithmetic, long largest, boolean isSettled, boolean isOnce) {
        this.arithmetic = arithmetic;
        this.largest = largest;
        this.isSettled = isSettled;
        this.isOnce = isOnce;
    }

    /**
     * Even rates, which grant a request together or not at all.
     *
     * @throws IllegalArgumentException if there are none or more than 8
     */
    public static StateRate even(List<EvenRate> rates) {
        if (rates.isEmpty() || rates.size() > StateBytes.MAX_RATES) {
            throw new IllegalArgumentException("rates must be 1 to " + StateBytes.MAX_RATES + ", were " + rates.size());
        }
        return of(EvenState.of(rates), rates.get(0).largest());
    }

    /**
     * An even rate that refuses a key for a time after it asked for too many.
     *
     * @param micros 1 to 2^52
     * @throws IllegalArgumentException if the time is not in its range
     */
    public static StateRate ban(EvenRate rate, long micros) {
        Units.inRange("micros", micros, 1);
        return of(BanState.of(rate, micros), rate.largest());
    }

    /**
     * Fixed windows.
     *
     * @param micros their length, 1 to 2^52
     * @param isAligned whether they begin at multiples of their length of the store's time; otherwise with the first permit
     * @throws IllegalArgumentException if the length is not in its range
     */
    public static StateRate fixed(WindowLimit limit, long micros, boolean isAligned) {
        Units.inRange("micros", micros, 1);
        return of(FixedState.of(limit, micros, isAligned), limit.permits());
    }

    /**
     * A sliding window.
     *
     * @param blockMicros the length of a block, 1 to 2^52
     * @param blocks the blocks of a period, 1 to 2^52
     * @throws IllegalArgumentException if a number is not in its range
     */
    public static StateRate window(WindowLimit limit, long blockMicros, long blocks) {
        Units.inRange("blockMicros", blockMicros, 1);
        Units.inRange("blocks", blocks, 1);
        return of(SlidingState.window(limit, blockMicros, blocks), limit.permits());
    }

    /**
     * A sliding log.
     *
     * @param micros the period, 1 to 2^52
     * @throws IllegalArgumentException if the period is not in its range
     */
    public static StateRate log(WindowLimit limit, long micros) {
        Units.inRange("micros", micros, 1);
        return of(SlidingState.log(limit, micros), limit.permits());
    }

    private static StateRate of(Arithmetic arithmetic, long largest) {
        return new StateRate(arithmetic, largest, false, false);
    }

    /**
     * The same by cost: a charge is owed beyond the limit, and a refund is told when its permits were granted.
     *
     * @param once whether a request for more than is ever free is granted if nothing is used, and leaves a debt
     * @throws IllegalArgumentException if this is a ban
     */
    public StateRate settled(boolean once) {
        if (rule() == StateRule.BAN) {
            throw new IllegalArgumentException("a ban does not count by cost");
        }
        return new StateRate(arithmetic, largest, true, once);
    }

    /** The rule by which permits are counted. */
    public StateRule rule() {
        return arithmetic.head().rule();
    }

    /** The most permits of one request; of several rates, of the first. */
    public long largest() {
        return largest;
    }

    /** True if a request for more than {@link #largest} is granted if nothing is used. */
    public boolean grantsMoreOnce() {
        return isOnce;
    }

    /** The bytes with which each state of this rate begins: what it is, the version, the rule, the number of rates and the parameters. */
    public byte[] head() {
        return arithmetic.head().bytes().clone();
    }

    /** The parameters in the order of {@link #head}. */
    public List<Long> parameters() {
        return Arrays.stream(arithmetic.head().parameters()).boxed().toList();
    }

    /** The even rates of {@link StateRule#EVEN} and {@link StateRule#BAN}; of another rule none. */
    public List<EvenRate> rates() {
        if (arithmetic instanceof EvenState even) {
            return even.rates();
        }
        return arithmetic instanceof BanState ban ? List.of(ban.rate()) : List.of();
    }

    /** As {@link dev.weir.store.StoreLimit#countsCost}. */
    public boolean countsCost() {
        return isSettled;
    }

    /** As {@link dev.weir.store.StoreLimit#allowsBatches}: a batch that is refused would ban the key. */
    public boolean allowsBatches() {
        return rule() != StateRule.BAN;
    }

    /** As {@link dev.weir.store.StoreLimit#refilled}; of several rates, of the one that refills most. */
    public long refilled(long nanos) {
        long most = -1;
        for (EvenRate rate : rates()) {
            long micros = Math.max(0, nanos) / NANOS;
            most = Math.max(most, Units.scaled(micros, rate.leak(), rate.cost()));
        }
        return most;
    }

    /**
     * Computes the state after an operation, and its reply. More than 2^52 permits count as 2^52.
     *
     * @param state what is stored; null = nothing
     * @param permits negative only of a {@link Operation#CHARGE}
     * @param grantedAtMicros of a refund the {@link dev.weir.store.Reply#at instant} of the grant by the store's clock; 0 = not known,
     *     {@code Long.MAX_VALUE} = just now; of another operation it is ignored
     * @param nowMicros the instant by the store's clock, 0 to 2^52; it may be before that of an earlier step
     * @throws IllegalArgumentException if permits or the instant are not in their range
     */
    public StateStep step(
            byte @Nullable [] state, Operation operation, long permits, long grantedAtMicros, long nowMicros) {
        Units.inRange("nowMicros", nowMicros, 0);
        if (permits < 0 && operation != Operation.CHARGE) {
            throw new IllegalArgumentException("permits must be >= 0, was " + permits);
        }
        long bounded = Math.max(-Units.MOST, Math.min(Units.MOST, permits));
        Kind kind = kind(operation, bounded);
        long taken = operation == Operation.REFUND ? -bounded : bounded;
        long held = Math.max(0, nowMicros - Math.max(0, grantedAtMicros));
        State read = state == null ? null : StateBytes.read(state);
        return arithmetic.step(read, new Call(kind, taken, held, nowMicros, state != null && read == null));
    }

    private Kind kind(Operation operation, long permits) {
        boolean isEven = rule() == StateRule.EVEN || rule() == StateRule.BAN;
        return switch (operation) {
            case ACQUIRE -> isOnce && permits > largest ? Kind.ACQUIRE_ONCE : Kind.ACQUIRE;
            case ACQUIRE_UP_TO -> Kind.ACQUIRE_UP_TO;
            case CHARGE -> permits > 0 && !isEven ? Kind.OVERDRAW : Kind.CHARGE;
            case REFUND -> isEven ? Kind.CHARGE : Kind.OVERDRAW;
        };
    }
}
