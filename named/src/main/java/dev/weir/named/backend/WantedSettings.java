package dev.weir.named.backend;

import dev.weir.named.backend.GivenStore.Setup;
import dev.weir.named.plan.Caps;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.LimitChange.Writer;
import dev.weir.named.status.LimitOverride;
import dev.weir.named.status.LimitStatus;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The settings that the writers of one name want in force: by hand, by the document, by code, in this order. Of the document there
 * are the last good ones, with its version; null = none, or removed. Immutable.
 */
public record WantedSettings(
        @Nullable Declared declared,
        Caps caps,
        @Nullable LimitPlan document,
        String version,
        boolean orphan,
        @Nullable Hand override,
        boolean closed,
        long revision) {
    /** The source of events of overrides. */
    static final String BY_HAND = "override";

    static final WantedSettings NOTHING = new WantedSettings(null, Caps.NONE, null, "", false, null, false, 0);

    /** A default of the code, and how a store counts it; null = each instance counts for itself. */
    public record Declared(LimitPlan plan, @Nullable Setup setup) {}

    /**
     * A patch by hand, given as the same object as long as it lasts, what it made of the last settings below it that it fits, and
     * why it does not fit those that are there now; empty = it does.
     */
    record Hand(LimitOverride given, Function<WantedSettings, LimitPlan> patch, LimitPlan plan, String problem) {
        static Hand of(LimitOverride given, Function<WantedSettings, LimitPlan> patch, WantedSettings below) {
            return new Hand(given, patch, patch.apply(below), "");
        }

        static boolean isOf(LimitOverride given, @Nullable Hand hand) {
            return hand != null && hand.given == given;
        }

        /* What it made before is within the caps, and what the hand wanted: safer than settings without it. */
        private Hand over(WantedSettings below) {
            try {
                LimitPlan next = patch.apply(below);
                return problem.isEmpty() && next.isSame(plan) ? this : new Hand(given, patch, next, "");
            } catch (Throwable t) {
                String why = String.valueOf(t.getMessage());
                return why.equals(problem) ? this : new Hand(given, patch, plan, why);
            }
        }
    }

    /** The settings in force; null = the name has none. */
    @Nullable
    LimitPlan plan() {
        return closed ? null : override != null ? override.plan : below();
    }

    /** The settings without what is set by hand; null = the name has none. */
    @Nullable
    LimitPlan below() {
        return document != null ? document : declared == null ? null : declared.plan;
    }

    /** The override, with what it changes; null = none. */
    @Nullable
    LimitOverride told(String name, Predicate<Hand> isPending) {
        return override == null
                ? null
                : override.given.with(
                        ChangeLog.differences(name, below(), override.plan),
                        isPending.test(override),
                        override.problem);
    }

    /** The event that an override has begun, ended, or another problem than in the settings before; null = none. */
    @Nullable
    ConfigEvent told(String name, WantedSettings before) {
        Hand old = before.override;
        boolean isSame = old == override;
        if (old != null && override != null) {
            isSame = old.given == override.given && old.problem.equals(override.problem);
        }
        LimitOverride told = (override == null ? before : this).told(name, hand -> false);
        return isSame || told == null || closed
                ? null
                : new ConfigEvent.Overridden(BY_HAND, name, told, override == null);
    }

    /* An override goes on as a patch over what is below it next. While the name is removed, it stays as it was. */
    private WantedSettings patched() {
        return override == null || below() == null ? this : with(override.over(this));
    }

    /** The setup by which a store counts the limit; null = each instance counts for itself. Throws if it needs what code does not give. */
    @Nullable
    Setup setup(GivenStore store) {
        LimitPlan plan = Objects.requireNonNull(plan());
        if (declared != null && plan == declared.plan) {
            return declared.setup;
        }
        LimitPlan.Stored stored = plan.stored();
        return stored == null ? null : store.setup(plan.spec(), stored);
    }

    /** The writer whose value of the limit is in force. */
    Writer writer(LimitStatus status) {
        if (status.control() != null) {
            return Writer.CONTROL;
        }
        if (status.share() != null) {
            return Writer.SHARE;
        }
        if (override != null) {
            return Writer.OVERRIDE;
        }
        return document != null || declared == null ? Writer.DOCUMENT : Writer.CODE;
    }

    WantedSettings declared(Declared code, Caps most, @Nullable LimitPlan within) {
        return new WantedSettings(
                        code,
                        most,
                        within,
                        within == document ? version : "",
                        orphan && within != null,
                        override,
                        closed,
                        revision)
                .patched();
    }

    /** With what a document of this version says of the name; null = it is removed. */
    WantedSettings with(@Nullable LimitPlan plan, String number) {
        return new WantedSettings(declared, caps, plan, number, false, override, closed, revision).patched();
    }

    WantedSettings orphaned() {
        return new WantedSettings(declared, caps, document, version, true, override, closed, revision);
    }

    WantedSettings with(@Nullable Hand hand) {
        return new WantedSettings(declared, caps, document, version, orphan, hand, closed, revision);
    }

    WantedSettings ended() {
        return new WantedSettings(declared, caps, document, version, orphan, null, true, revision);
    }

    /** The same at this revision. */
    WantedSettings at(long number) {
        return new WantedSettings(declared, caps, document, version, orphan, override, closed, number);
    }

    /** The same at the next revision, unless these are the settings of before. The version of a document is no setting. */
    WantedSettings after(WantedSettings before) {
        boolean isSame = declared == before.declared
                && caps == before.caps
                && document == before.document
                && orphan == before.orphan
                && override == before.override
                && closed == before.closed;
        return at(isSame ? before.revision : before.revision + 1);
    }
}
