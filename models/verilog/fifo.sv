// A queue of DEPTH words in a ring buffer. One chosen word is followed through the memory: what goes in comes out,
// in order. Both its address and its value are free but constant, so the proof covers every word.
module fifo #(
    parameter int DEPTH_LOG = 2,
    parameter int WIDTH = 4
) (
    input  logic             clk,
    input  logic             reset,
    input  logic             push,
    input  logic             pop,
    input  logic [WIDTH-1:0] data_in,
    output logic [WIDTH-1:0] data_out,
    output logic             full,
    output logic             empty
);
    logic [WIDTH-1:0] memory [0:(1<<DEPTH_LOG)-1];
    logic [DEPTH_LOG:0] head, tail;

    wire [DEPTH_LOG:0] used = tail - head;
    assign full = used == (1 << DEPTH_LOG);
    assign empty = used == 0;
    assign data_out = memory[head[DEPTH_LOG-1:0]];

    wire pushes = push && !full;
    wire pops = pop && !empty;

    always_ff @(posedge clk) begin
        if (reset) begin
            head <= 0;
            tail <= 0;
        end else begin
            if (pushes) begin
                memory[tail[DEPTH_LOG-1:0]] <= data_in;
                tail <= tail + 1;
            end
            if (pops)
                head <= head + 1;
        end
    end

`ifdef FORMAL
    initial assume (reset);

    (* anyconst *) logic [DEPTH_LOG:0] chosen;
    logic [WIDTH-1:0] remembered;
    logic was_pushed = 0;

    always_ff @(posedge clk) begin
        if (reset)
            was_pushed <= 0;
        else if (pushes && tail == chosen) begin
            remembered <= data_in;
            was_pushed <= 1;
        end else if (pops && head == chosen)
            was_pushed <= 0;
    end

    // Once reset has been seen, the pointers are defined.
    logic is_ready = 0;
    always_ff @(posedge clk) is_ready <= 1;

    wire [DEPTH_LOG:0] offset = chosen - head;
    always_comb if (is_ready && !reset) begin
        never_overfull: assert (used <= (1 << DEPTH_LOG));
        chosen_is_inside: assert (!was_pushed || offset < used);
        chosen_is_kept: assert (!was_pushed || memory[chosen[DEPTH_LOG-1:0]] == remembered);
        if (was_pushed && pops && head == chosen)
            in_order: assert (data_out == remembered);
        can_be_full: cover (full);
    end
`endif
endmodule
