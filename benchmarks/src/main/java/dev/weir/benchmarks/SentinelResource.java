package dev.weir.benchmarks;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.log.RecordLog;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A Sentinel resource under one flow rule; after resources with rules of other kinds, see {@link Mixed}. */
final class SentinelResource {
    private static final String NAME = "measured";

    static {
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        RecordLog.info("its greeting is not for the table");
        System.setOut(out);
    }

    private final String name;

    SentinelResource(int grade, double count) {
        this(NAME);
        FlowRule measured = rule(NAME, grade, count);
        if (Mixed.isAlone()) {
            FlowRuleManager.loadRules(List.of(measured));
        } else {
            FlowRule warming = rule("warming", RuleConstant.FLOW_GRADE_QPS, 1_000)
                    .setControlBehavior(RuleConstant.CONTROL_BEHAVIOR_WARM_UP);
            FlowRule throttled = rule("throttled", RuleConstant.FLOW_GRADE_QPS, 1)
                    .setControlBehavior(RuleConstant.CONTROL_BEHAVIOR_RATE_LIMITER)
                    .setMaxQueueingTimeMs(1);
            FlowRuleManager.loadRules(List.of(measured, warming, throttled));
            Mixed.Works works = new Mixed.Works();
            for (FlowRule other : List.of(warming, throttled)) {
                SentinelResource resource = new SentinelResource(other.getResource());
                Mixed.exercise(() -> resource.runInside(works.next()));
            }
        }
    }

    private SentinelResource(String name) {
        this.name = name;
    }

    private static FlowRule rule(String name, int grade, double count) {
        FlowRule rule = new FlowRule(name);
        rule.setGrade(grade);
        rule.setCount(count);
        return rule;
    }

    /** True if it was let in. */
    boolean enterAndExit() {
        return runInside(() -> {});
    }

    /** True if the work was let in. */
    boolean runInside(Runnable work) {
        Entry entry;
        try {
            entry = SphU.entry(name);
        } catch (BlockException refused) {
            return false;
        }
        try {
            work.run();
        } finally {
            entry.exit();
        }
        return true;
    }
}
