package dev.weir.store.state;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Even rates, one or several: all grant a request or none. */
record EvenState(List<EvenRate> rates, Head head) implements Arithmetic {
    static EvenState of(List<EvenRate> rates) {
        long[] parameters = rates.stream()
                .flatMapToLong(rate -> Arrays.stream(rate.parameters()))
                .toArray();
        return new EvenState(List.copyOf(rates), Head.of(StateRule.EVEN, parameters));
    }

    @Override
    public StateStep step(@Nullable State state, Call call) {
        boolean continues = state != null && head.begins(state);
        List<EvenUse> uses = uses(state, continues, call);
        EvenUse tightest = tightest(uses);
        long room = tightest.room();
        for (EvenUse use : uses) {
            if (call.isNever(use.rate().largest())) {
                return call.never(use.figures(room));
            }
        }
        long granted = call.taken(room, rates.get(0).largest(), longest(uses));
        byte[] next = null;
        if (granted != 0 || (state != null && (!continues || call.now() < state.at()))) {
            uses.forEach(use -> use.take(granted));
            tightest = tightest(uses);
            room = tightest.room();
            next = head.state(numbers(uses, call.now()));
        }
        long wait = 0;
        for (EvenUse use : uses) {
            long own = use.await();
            if (own > wait) {
                wait = own;
                tightest = granted <= 0 ? use : tightest;
            }
        }
        return call.answer(next, longest(uses), granted, tightest.figures(room), wait);
    }

    private List<EvenUse> uses(@Nullable State state, boolean continues, Call call) {
        List<EvenUse> uses = new ArrayList<>(rates.size());
        for (int i = 0; i < rates.size(); i++) {
            uses.add(EvenUse.of(rates.get(i), state, continues ? 1 + i * StateRule.EVEN.numbers : -1, call));
        }
        return uses;
    }

    private static EvenUse tightest(List<EvenUse> uses) {
        EvenUse tightest = uses.get(0);
        for (int i = 1; i < uses.size(); i++) {
            if (uses.get(i).room() < tightest.room()) {
                tightest = uses.get(i);
            }
        }
        return tightest;
    }

    private static long longest(List<EvenUse> uses) {
        long longest = 0;
        for (EvenUse use : uses) {
            longest = Math.max(longest, use.reset());
        }
        return longest;
    }

    /** A single rate without a debt has only the time and what is missing. */
    private static long[] numbers(List<EvenUse> uses, long now) {
        EvenUse first = uses.get(0);
        if (uses.size() == 1 && first.ceiling() == 0) {
            return new long[] {now, first.missing()};
        }
        long[] numbers = new long[1 + uses.size() * StateRule.EVEN.numbers];
        int next = 0;
        numbers[next++] = now;
        for (EvenUse use : uses) {
            numbers[next++] = use.units();
            numbers[next++] = use.ceiling();
            numbers[next++] = use.missing();
        }
        return numbers;
    }
}
