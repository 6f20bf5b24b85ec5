package dev.weir.queue.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.queue.discipline.Discipline;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.Waiter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A discipline inside a queue, each of whose answers is checked. */
final class CheckedOrder implements Discipline {
    private final Discipline checked;

    /** What waits, each with how many must be gone before it is granted. */
    private final Map<Waiter, Integer> waiting = new LinkedHashMap<>();

    private final List<String> broken = new ArrayList<>();
    private int gone;
    private @Nullable Waiter asked;
    private int announced;

    private CheckedOrder(Discipline checked) {
        this.checked = checked;
    }

    /** A specification that adds each discipline it creates to {@code used}. */
    static DisciplineSpec of(DisciplineSpec spec, List<CheckedOrder> used) {
        return () -> {
            CheckedOrder created = new CheckedOrder(spec.create());
            used.add(created);
            return created;
        };
    }

    void assertKept() {
        assertEquals(List.of(), broken);
    }

    private @Nullable Waiter mustWait(@Nullable Waiter named, String by) {
        if (named != null && !waiting.containsKey(named)) {
            broken.add(by + " returned " + named + ", which does not wait");
        }
        return named;
    }

    @Override
    public boolean offer(Waiter waiter) {
        boolean taken = checked.offer(waiter);
        if (taken) {
            waiting.put(waiter, gone + (asked == waiter ? announced : 0));
        }
        return taken;
    }

    @Override
    public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
        return mustWait(checked.next(now, shed), "next");
    }

    @Override
    public @Nullable Waiter after(Waiter refused) {
        return mustWait(checked.after(refused), "after");
    }

    @Override
    public @Nullable Iterable<Waiter> subqueue(Waiter waiter) {
        return checked.subqueue(waiter);
    }

    @Override
    public boolean suspend(Waiter refused) {
        return checked.suspend(refused);
    }

    @Override
    public void resume(Waiter waiter) {
        checked.resume(waiter);
    }

    @Override
    public void granted(Waiter waiter) {
        checked.granted(waiter);
        Integer least = waiting.remove(waiter);
        if (least != null && gone < least) {
            broken.add("ahead announced " + (least - gone) + " too many to " + waiter);
        }
        gone++;
    }

    @Override
    public void remove(Waiter waiter) {
        checked.remove(waiter);
        if (waiting.remove(waiter) != null) {
            gone++;
        }
    }

    @Override
    public @Nullable Waiter shedFor(Waiter newcomer) {
        return mustWait(checked.shedFor(newcomer), "shedFor");
    }

    @Override
    public int ahead(Waiter newcomer) {
        asked = newcomer;
        announced = checked.ahead(newcomer);
        return announced;
    }
}
