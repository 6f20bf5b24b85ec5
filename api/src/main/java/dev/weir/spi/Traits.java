package dev.weir.spi;

/**
 * The properties of a {@link Strategy} that the limiter must know. Start with {@link #CONCURRENCY} or {@link #RATE},
 * and add or remove single traits. Immutable; combining traits allocates nothing.
 *
 * <pre>{@code
 * Traits.RATE // a token bucket
 * Traits.CONCURRENCY.explaining(true) // a limit by priority: each rejection depends on the priority of the request
 * Traits.RATE.refunding(false) // what a grant has spent stays spent
 * }</pre>
 */
public final class Traits {
    private static final int HOLDS = 1;
    private static final int REFUNDS = 2;
    private static final int EXPLAINS = 4;
    private static final Traits[] ALL = new Traits[8];

    static {
        for (int bits = 0; bits < ALL.length; bits++) {
            ALL[bits] = new Traits(bits);
        }
    }

    /** A grant holds its permits until they are released: a semaphore. */
    public static final Traits CONCURRENCY = ALL[HOLDS];

    /** A grant holds nothing; it spends permits, which can be refunded: a token bucket. */
    public static final Traits RATE = ALL[REFUNDS];

    private final int bits;

    private Traits(int bits) {
        this.bits = bits;
    }

    private Traits with(int trait, boolean has) {
        return ALL[has ? bits | trait : bits & ~trait];
    }

    /** True if a grant holds its permits until {@link Strategy#release}. If not, all grants may share one permit object. */
    public boolean holds() {
        return (bits & HOLDS) != 0;
    }

    /** True if a grant spends something that {@link Strategy#refund} can return. */
    public boolean refunds() {
        return (bits & REFUNDS) != 0;
    }

    /** The same traits, but refunding or not. */
    public Traits refunding(boolean refunds) {
        return with(REFUNDS, refunds);
    }

    /** True if the answer, or the {@link Strategy#reason} of a rejection, depends on more of a request than its permits. */
    public boolean explains() {
        return (bits & EXPLAINS) != 0;
    }

    /**
     * The same traits, but explaining or not. A strategy must explain if its answer depends on
     * more than the number of permits, such as on the priority. If it does not, a queue assumes that if one request is
     * refused, every other request for as many permits is refused too.
     */
    public Traits explaining(boolean explains) {
        return with(EXPLAINS, explains);
    }

    @Override
    public String toString() {
        return "Traits[holds=" + holds() + ", refunds=" + refunds() + ", explains=" + explains() + "]";
    }
}
