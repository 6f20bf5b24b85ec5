package dev.weir.named.plan;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A change of some settings of a limit by hand; those that it does not name stay. Immutable. */
public interface PlanPatch {
    /** The settings that it names, by path and as text; {@code "null"} = the setting is dropped. */
    Map<String, String> settings();

    /**
     * The plan of this limit with the patch. Called again whenever the settings below it change.
     *
     * @param base null, and a default of the code, have no settings: the patch must have all that the limit needs
     * @throws IllegalArgumentException if the settings are not right together
     */
    LimitPlan over(String name, @Nullable LimitPlan base);
}
