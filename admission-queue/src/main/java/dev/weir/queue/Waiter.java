package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.spi.Gate;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One who stands in line: what is asked for, and since when. Made and ended by the queue; a discipline reads it. */
public final class Waiter {
    /*
     * `ending` is written once, by compare-and-set, and whoever wrote it takes the waiter out of the line: grant,
     * time-out, interrupt, cancel, shed and shutdown meet there. A granter who comes too late holds a permit for nobody
     * and returns it.
     */
    private static final long FOR_EVER = Long.MAX_VALUE / 2;
    private static final VarHandle ENDING;

    static {
        try {
            ENDING = MethodHandles.lookup().findVarHandle(Waiter.class, "ending", Decision.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Request request;
    final long since;
    final long patience;
    /** The thread that is blocked, or null for one that is answered through a future. */
    final @Nullable Thread thread;

    final @Nullable Answer answer;
    /** What the gate keeps of the request, from its arrival on if it does then. */
    private volatile @Nullable Object keptByGate;

    final Chain.Link arrival = new Chain.Link(this);
    private Chain.@Nullable Link place;
    int heapIndex = -1;
    /**
     * Whether the gate was asked for it, so that its leaving may let others in. Written before the asker reads
     * {@link #ending}, read by who leaves after it was written: one of the two sees the other.
     */
    volatile boolean asked;

    int refusals;
    /** Whether others are asked for first: what the line said when it entered. */
    boolean isBehind;
    /** The alarm that is to be set because it entered. */
    @Nullable
    Ring ring;
    /** Whoever was shed for it when it entered, and has to be told. */
    @Nullable
    Waiter madeRoom;
    /** What the limit could grant when it came. */
    final Predicate<Request> grantableThen;
    /** Whether it is known that the limit has had room for it. */
    volatile boolean fitted;
    /** Whether it asks for more than the limit at present: others go first meanwhile. Written by its line. */
    volatile boolean tooHeavy;
    /** Its lane, where its discipline has lanes: the request's key may have changed its hash since. */
    @Nullable
    Lane lane;
    /** Which one it is in its discipline, where that keeps count. */
    long turn;
    /** How long after {@link #since} a blocked thread shall see to it that the line is asked. */
    volatile long askAfter = Long.MAX_VALUE;

    private volatile @Nullable Decision ending;

    Waiter(
            Request request,
            long since,
            long patience,
            @Nullable Thread thread,
            @Nullable Answer answer,
            @Nullable Object keptByGate,
            Predicate<Request> grantableThen) {
        this.grantableThen = grantableThen;
        this.keptByGate = keptByGate;
        this.request = request;
        this.since = since;
        this.patience = patience;
        this.thread = thread;
        this.answer = answer;
    }

    /** What is asked for. */
    public Request request() {
        return request;
    }

    /** When it came, by the queue's time in nanoseconds: to be compared by difference. */
    public long since() {
        return since;
    }

    /**
     * For how many nanoseconds from {@link #since} it waits: the shorter of what the caller allowed and the request's own
     * deadline; more than {@code Long.MAX_VALUE / 2} = for ever.
     */
    public long patience() {
        return patience;
    }

    /** Its place in the discipline's own chain, if that has one. */
    Chain.Link place() {
        Chain.Link made = place == null ? new Chain.Link(this) : place;
        place = made;
        return made;
    }

    /** Whether its refusal is counted by its receiver, which may ask again for the same request. */
    boolean isCountedLater() {
        return answer != null && answer.receiver != null;
    }

    boolean waitsForEver() {
        return patience >= FOR_EVER;
    }

    /** Compares when two end that do not wait for ever. */
    long endsBefore(Waiter other) {
        return since + patience - (other.since + other.patience);
    }

    /** What the gate keeps of the request; it is asked for it until it keeps something. */
    @Nullable
    Object keptBy(Gate gate) {
        Object kept = keptByGate;
        if (kept == null) {
            kept = gate.arrival();
            if (kept != null) {
                keptByGate = kept;
            }
        }
        return kept;
    }

    /** Null as long as it waits. */
    @Nullable
    Decision ending() {
        return ending;
    }

    /** False if it has ended before. */
    boolean end(Decision decision) {
        return ENDING.compareAndSet(this, null, decision);
    }

    @Override
    public String toString() {
        return "Waiter[" + request + (ending == null ? ", waits]" : ", " + ending + "]");
    }
}
