//! What the original has and a copy has not: without the fallback a mutant that lives would be taken for killed.

use super::{all_split, never_split, partly_split, CALLED_OUT};

#[test]
fn a_thread_is_not_in_the_copy() {
    never_split(
        r#"static void *waits(void *nothing)
{
    pause();
    return nothing;
}

int main(void)
{
    pthread_t thread;
    int r;
    pthread_create(&thread, NULL, waits, NULL);
    r = mix(4, 5);
    return r == 23 && pthread_kill(thread, 0) == 0 ? 0 : 1;
}
"#,
        "the program has threads",
    );
}

#[test]
fn a_thread_that_has_ended_is_in_nobodys_way() {
    all_split(
        r#"static void *answers(void *answer)
{
    *(int *)answer = 7;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int answer = 0, r;
    pthread_create(&thread, NULL, answers, &answer);
    pthread_join(thread, NULL);
    r = mix(4, 5);
    return r + answer == 30 ? 0 : 1;
}
"#,
    );
}

#[test]
fn a_child_is_the_originals_only() {
    never_split(
        r#"int main(void)
{
    int status = 0, r;
    pid_t child = fork();
    if (child == 0)
        _exit(5);
    r = mix(4, 5);
    if (waitpid(child, &status, 0) != child)
        return 2;
    return r == 23 && WEXITSTATUS(status) == 5 ? 0 : 1;
}
"#,
        "the program has processes of its own",
    );
}

#[test]
fn a_child_that_was_waited_for_is_in_nobodys_way() {
    all_split(&FORKED.replace("QUESTION", "1"));
}

/// A copy has no children, and may not ask.
#[test]
fn a_question_about_children_is_not_asked_in_the_copy() {
    partly_split(&FORKED.replace("QUESTION", "waitpid(child, &status, 0) == -1 && errno == ECHILD"), CALLED_OUT);
}

const FORKED: &str = r#"int main(void)
{
    int status = 0, r;
    pid_t child = fork();
    if (child == 0)
        _exit(5);
    if (waitpid(child, &status, 0) != child)
        return 2;
    r = mix(4, 5);
    return r == 23 && WEXITSTATUS(status) == 5 && QUESTION ? 0 : 1;
}
"#;

#[test]
fn an_alarm_does_not_go_off_in_the_copy() {
    never_split(
        r#"int main(void)
{
    int r;
    alarm(1000);
    r = mix(4, 5);
    return r == 23 && alarm(0) > 0 ? 0 : 1;
}
"#,
        "a timer is set",
    );
}

#[test]
fn an_interval_timer_is_not_set_in_the_copy() {
    never_split(
        r#"static volatile sig_atomic_t ticks;

static void tick(int signal)
{
    ticks++;
}

int main(void)
{
    struct itimerval interval = {{0, 10000}, {0, 10000}};
    int n, r;
    signal(SIGPROF, tick);
    setitimer(ITIMER_PROF, &interval, NULL);
    r = mix(4, 5);
    for (n = 0; n < 200000000 && !ticks; n++) {
    }
    return r == 23 && ticks ? 0 : 1;
}
"#,
        "a timer is set",
    );
}

#[test]
fn a_timer_by_posix_is_not_in_the_copy() {
    never_split(
        r#"int main(void)
{
    struct itimerspec left, long_time = {{0, 0}, {1000, 0}};
    struct sigevent nothing = {.sigev_notify = SIGEV_NONE};
    timer_t timer;
    int r;
    if (timer_create(CLOCK_MONOTONIC, &nothing, &timer) != 0 || timer_settime(timer, 0, &long_time, NULL) != 0)
        return 2;
    r = mix(4, 5);
    return r == 23 && timer_gettime(timer, &left) == 0 && left.it_value.tv_sec > 0 ? 0 : 1;
}
"#,
        "a timer is set",
    );
}

#[test]
fn a_signal_that_waits_to_be_let_in_does_not_wait_in_the_copy() {
    never_split(
        r#"static volatile sig_atomic_t came;

static void comes(int signal)
{
    came = 1;
}

int main(void)
{
    sigset_t set;
    int r;
    signal(SIGUSR1, comes);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    r = mix(4, 5);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return r == 23 && came ? 0 : 1;
}
"#,
        "a signal waits to be let in",
    );
}

#[test]
fn handlers_and_raised_signals_are_the_copys_too() {
    all_split(
        r#"static volatile sig_atomic_t came;
static sigjmp_buf back;

static void comes(int signal)
{
    came++;
    if (signal == SIGFPE)
        siglongjmp(back, 1);
}

int main(void)
{
    signal(SIGUSR1, comes);
    signal(SIGFPE, comes);
    if (mix(4, 5) != 23)
        return 1;
    raise(SIGUSR1);
    if (sigsetjmp(back, 1) == 0)
        raise(SIGFPE);
    return came == 2 ? 0 : 1;
}
"#,
    );
}

#[test]
fn a_jump_over_the_point_works_in_copies() {
    all_split(
        r#"static jmp_buf back;

static void deep(int n)
{
    if (n > 0)
        deep(n - 1);
    else
        longjmp(back, mix(4, 5));
}

int main(void)
{
    int r = setjmp(back);
    if (r == 0)
        deep(5);
    return r == 23 ? 0 : 1;
}
"#,
    );
}

/// The time of the processor starts anew in a copy.
#[test]
fn what_the_processor_was_used_for_is_not_counted_in_the_copy() {
    never_split(
        r#"int main(void)
{
    clock_t before, after;
    int r;
    while ((before = clock()) < CLOCKS_PER_SEC / 50) {
    }
    r = mix(4, 5);
    after = clock();
    return r == 23 && after >= before ? 0 : 1;
}
"#,
        CALLED_OUT,
    );
}

#[test]
fn a_stream_that_is_closed_is_closed_in_the_copy_too() {
    all_split(
        r#"int main(void)
{
    int r;
    close(1);
    r = mix(4, 5);
    return r == 23 && write(1, "x", 1) == -1 && errno == EBADF && open("/dev/null", O_RDONLY) == 1 ? 0 : 1;
}
"#,
    );
}
