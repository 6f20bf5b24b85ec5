package dev.weir.http;

import dev.weir.Permit.Quota;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The policies of one limit, with the text of their field. Immutable; equal to itself only. */
final class Policies {
    private final @Nullable StrategySpec spec;
    private final List<Part> parts;
    private final String text;

    /** One policy, its name as a structured field has it, and {@code "name";q=100;w=60}. */
    record Part(Policy policy, String name, String text) {
        static Part of(Policy policy) {
            String name = HttpText.string(policy.name());
            return new Part(policy, name, HttpText.policy(name, policy));
        }
    }

    static Policies of(String name, StrategySpec spec) {
        return new Policies(spec, Policy.of(name, spec));
    }

    /** Of this specification; null = of none. */
    Policies(@Nullable StrategySpec spec, List<Policy> policies) {
        this.spec = spec;
        parts = policies.stream().map(Part::of).toList();
        text = parts.stream().map(Part::text).collect(Collectors.joining(", "));
    }

    boolean isOf(StrategySpec other) {
        return other == spec || other.equals(spec);
    }

    String text() {
        return text;
    }

    Part first() {
        return parts.get(0);
    }

    boolean isOne() {
        return parts.size() == 1;
    }

    @Nullable
    Part part(@Nullable Quota figures) {
        return figures == null ? null : isOne() ? first() : only(policy -> policy.isOf(figures));
    }

    /** Null if none fits, or more than one. */
    @Nullable
    Part only(Predicate<Policy> fits) {
        Part found = null;
        for (Part each : parts) {
            if (fits.test(each.policy)) {
                if (found != null) {
                    return null;
                }
                found = each;
            }
        }
        return found;
    }

    Policies with(Part replaced, Policy policy) {
        List<Policy> changed = new ArrayList<>();
        parts.forEach(each -> changed.add(each == replaced ? policy : each.policy));
        return new Policies(spec, changed);
    }
}
