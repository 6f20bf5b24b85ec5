package dev.weir.benchmarks;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.log.RecordLog;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A Sentinel resource under one flow rule. */
final class SentinelResource {
    private static final String NAME = "measured";

    static {
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        RecordLog.info("its greeting is not for the table");
        System.setOut(out);
    }

    SentinelResource(int grade, double count) {
        FlowRule rule = new FlowRule(NAME);
        rule.setGrade(grade);
        rule.setCount(count);
        FlowRuleManager.loadRules(List.of(rule));
    }

    /** Whether it was let in. */
    boolean enterAndExit() {
        return runInside(() -> {});
    }

    /** Whether the work was let in. */
    boolean runInside(Runnable work) {
        Entry entry;
        try {
            entry = SphU.entry(NAME);
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
